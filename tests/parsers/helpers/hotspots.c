// SPDX-License-Identifier: MIT OR GPL-2.0
/* hotspots.c - the program that the symbol tests pretend to sample */

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
