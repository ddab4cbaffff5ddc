// SPDX-License-Identifier: Zlib
struct lock_free_queue {
  void push(int item);
  bool pop(int& item);
};
extern lock_free_queue queue;
extern int item;
