/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* machine_json.h - describe the machine and its processors for the capture */
#ifndef PFMON_CAPTURE_MACHINE_JSON_H
#define PFMON_CAPTURE_MACHINE_JSON_H

struct json_object;

/* Returns the member "machine" of a SESS chunk. */
struct json_object *machine_describe(void);

#endif /* PFMON_CAPTURE_MACHINE_JSON_H */
