// SPDX-License-Identifier: MIT OR GPL-2.0
/* signing.c - check that the kernel accepts the modules' signatures */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "doctor/built.h"
#include "doctor/checks.h"
#include "doctor/kmod.h"

#define LOCKDOWN	"/sys/kernel/security/lockdown"
#define SIG_ENFORCE	"/sys/module/module/parameters/sig_enforce"
#define EFIVARS		"/sys/firmware/efi/efivars"
#define SECURE_BOOT	EFIVARS "/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
/* shim's variables: the machine owner's keys, and keys not yet confirmed. */
#define OWNERS_KEYS	EFIVARS "/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23"
#define NEW_KEYS	EFIVARS "/MokNew-605dab50-e046-4300-abb6-3dd810dd8b23"
/* The firmware's key database, which Debian's kernels also use for modules. */
#define FIRMWARE_KEYS	EFIVARS "/db-d719b2cb-3d3a-4596-a3bc-dad00e67656f"
/* The key and the certificate that DKMS signs modules with. */
#define DKMS_KEY	"/var/lib/dkms/mok.key"
#define DKMS_CERT	"/var/lib/dkms/mok.pub"
#define MAKE_KEY							\
	"mkdir -p /var/lib/dkms\n"					\
	"openssl req -new -x509 -newkey rsa:2048 -nodes -days 36500 "	\
	"-subj '/CN=module signing key' -keyout " DKMS_KEY		\
	" -outform DER -out " DKMS_CERT "\n"
/* Modules are signed before the installation, which may compress them. */
#define SIGN								\
	"find build/modules/%s -name '*.ko' -exec "			\
	"/lib/modules/%s/build/scripts/sign-file sha256 "		\
	DKMS_KEY " " DKMS_CERT " {} ';'"
#define CONFIRM		"reboot   # and choose to enroll the key"
#define ENROLL		"mokutil --import " DKMS_CERT "\n" CONFIRM

/* Four bytes of attributes precede the value of an EFI variable. */
static bool has_secure_boot(const struct machine *machine)
{
	char *path = machine_path(machine, SECURE_BOOT);
	size_t length;
	char *value = read_file(path, &length);
	bool on = value && length >= 5 && value[4] == 1;

	free(value);
	free(path);
	return on;
}

/* Returns why the kernel requires signed modules; NULL if it does not. */
static const char *why_signed_only(const struct machine *machine)
{
	char *lockdown = machine_line(machine, LOCKDOWN);
	bool locked = lockdown && !strstr(lockdown, "[none]");
	bool unknown = !lockdown;

	free(lockdown);
	if (has_secure_boot(machine) && (locked || unknown))
		return "Secure Boot is on";
	if (locked)
		return "the kernel is locked down";
	if (machine_says(machine, SIG_ENFORCE, "Y"))
		return "module.sig_enforce is on";
	return NULL;
}

static char *sign_sources_remedy(const struct machine *machine)
{
	const char *release = machine->release;
	bool has_key = machine_has(machine, DKMS_CERT);
	char *sign = as_root(machine, "%s" SIGN, has_key ? "" : MAKE_KEY,
			     release, release);
	char *install = source_remedy(machine, sign);
	char *enroll = as_root(machine, ENROLL);
	char *remedy = checked_printf("%s\n%s", install, enroll);

	free(enroll);
	free(install);
	free(sign);
	return remedy;
}

/*
 * With Secure Boot, the user can sign the modules and enroll the certificate.
 * Without it, the kernel trusts only the keys that it was built with; the user
 * has to remove the restriction from the kernel command line.
 */
static char *unsigned_remedy(const struct machine *machine)
{
	const char *release = machine->release;
	char *version, *remedy;

	if (!has_secure_boot(machine))
		return as_root(machine, "%s",
			       "reboot   # without lockdown= and module.sig_enforce on the kernel command line");
	version = dkms_version(machine);
	if (!version)
		return sign_sources_remedy(machine);
	remedy = as_root(machine,
			 "dkms unbuild perfmon/%s -k %s\ndkms autoinstall -k %s\n%s",
			 version, release, release, ENROLL);
	free(version);
	return remedy;
}

enum enrolled { ENROLLED, NOT_CONFIRMED, NOT_ENROLLED, ENROLLED_UNKNOWN };

/* Returns whether a file contains these bytes. */
static bool has_bytes(const struct machine *machine, const char *file,
		      const char *bytes, size_t length)
{
	char *path = machine_path(machine, "%s", file);
	size_t file_length;
	char *content = read_file(path, &file_length);
	bool found = content && memmem(content, file_length, bytes, length);

	free(content);
	free(path);
	return found;
}

/*
 * Returns whether the signer's certificate is enrolled. The only certificate
 * that pfmon can read is that of DKMS. If it contains the signer's name, pfmon
 * takes it for the signer's certificate.
 */
static enum enrolled is_enrolled(const struct machine *machine,
				 const char *signer)
{
	char *path = machine_path(machine, DKMS_CERT);
	size_t length;
	char *cert = read_file(path, &length);
	enum enrolled answer = ENROLLED_UNKNOWN;

	if (!cert || !memmem(cert, length, signer, strlen(signer)))
		goto out;
	if (has_bytes(machine, OWNERS_KEYS, cert, length) ||
	    (machine->is_debian &&
	     has_bytes(machine, FIRMWARE_KEYS, cert, length)))
		answer = ENROLLED;
	else if (has_bytes(machine, NEW_KEYS, cert, length))
		answer = NOT_CONFIRMED;
	else if (machine_has(machine, OWNERS_KEYS))
		answer = NOT_ENROLLED;
out:
	free(cert);
	free(path);
	return answer;
}

static void check_key(const struct machine *machine, const char *why,
		      const char *signer, struct finding *finding)
{
	enum enrolled enrolled = is_enrolled(machine, signer);

	if (enrolled == NOT_ENROLLED)
		finding_problem(finding, as_root(machine, "%s", ENROLL),
				"%s, and the modules are signed by \"%s\", whose key is not enrolled",
				why, signer);
	else if (enrolled == NOT_CONFIRMED)
		finding_problem(finding, as_root(machine, "%s", CONFIRM),
				"%s, and the modules are signed by \"%s\", whose key you have to confirm at the next boot",
				why, signer);
	else if (enrolled == ENROLLED)
		finding_ok(finding,
			   "%s; the modules are signed by \"%s\", whose key is enrolled",
			   why, signer);
	else
		finding_note(finding, NULL,
			     "%s; the modules are signed by \"%s\": load them to see whether the kernel trusts that key",
			     why, signer);
}

void check_signature(const struct machine *machine, struct finding *finding)
{
	const char *why = why_signed_only(machine);
	char *signer;

	if (machine->is_container || core_is_loaded(machine))
		return;
	if (machine_says(machine, "/proc/sys/kernel/modules_disabled", "1")) {
		finding_problem(finding, as_root(machine, "reboot"),
				"no modules can be loaded until the next boot (kernel.modules_disabled)");
		return;
	}
	if (!why) {
		finding_ok(finding, "the kernel accepts unsigned modules");
		return;
	}
	signer = kmod_field(machine, CORE_MODULE, "signer");
	if (signer && *signer)
		check_key(machine, why, signer, finding);
	else if (signer)
		finding_problem(finding, unsigned_remedy(machine),
				"%s, so the kernel accepts only signed modules, and perfmon's are not signed",
				why);
	free(signer);
}

