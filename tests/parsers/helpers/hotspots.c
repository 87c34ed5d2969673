// SPDX-License-Identifier: MIT OR GPL-2.0
/* hotspots.c - the program into which the tests of symbols let samples point */

static volatile int sink;

__attribute__((noinline)) void hot(void)
{
	sink++;
}

__attribute__((noinline)) static void warm(void)
{
	sink--;
}

int main(void)
{
	hot();
	warm();
	return 0;
}
