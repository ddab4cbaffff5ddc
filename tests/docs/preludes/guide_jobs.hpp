// SPDX-License-Identifier: Zlib
texture upload(const blob& bytes);
int build_world(job_system& jobs);
extern int expected;
std::ostream& EXPECT_EQ(int left, int right);
