// SPDX-License-Identifier: Zlib
//
// What the headers of Windows define, in lower case and in upper: names that ours must not use.
#pragma once

#define small char
#define hyper long long
#define near
#define far
#define pascal
#define cdecl
#define interface struct
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define grp1 1
#define cmb1 1
#define rad1 1
#define CALLBACK
#define CONST const
#define DELETE 1
#define DIFFERENCE 1
#define ERROR 0
#define FALSE 0
#define IGNORE 0
#define IN
#define INFINITE 1
#define NO_ERROR 0
#define OPTIONAL
#define OUT
#define STRICT 1
#define TRUE 1
#define VOID void
#define CopyFile CopyFileW
#define CreateFile CreateFileW
#define DeleteFile DeleteFileW
#define GetObject GetObjectW
#define GetMessage GetMessageW
#define SendMessage SendMessageW
