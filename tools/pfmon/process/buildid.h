/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* buildid.h - the GNU build-id of an ELF file */
#ifndef PFMON_PROCESS_BUILDID_H
#define PFMON_PROCESS_BUILDID_H

/*
 * Returns the build-id in hexadecimal, which the caller frees; NULL if there is
 * none or the file cannot be read.
 */
char *buildid_of(const char *path);

#endif /* PFMON_PROCESS_BUILDID_H */
