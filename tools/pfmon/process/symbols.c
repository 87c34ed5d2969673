// SPDX-License-Identifier: MIT OR GPL-2.0
/* symbols.c - find code in a program by name or address */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/similar.h"
#include "base/util.h"
#include "process/symbols.h"

/* Maximum number of similar names in a message. */
#define MOST_SIMILAR	5

/* Size of an instruction in bytes. */
#define AARCH64_INSTRUCTION	4

struct search {
	Elf *elf;
	const char *name;
	unsigned int symbols;		/* number of functions */
	unsigned int found;		/* addresses with that name */
	uint64_t address;
	bool chosen_later;		/* ifunc: the loader chooses the code */
	unsigned int similar;
	char *list;			/* of similar names */
};

/* Checks the alignment on machines whose instructions have a fixed size. */
static bool may_be_instruction(Elf *elf, uint64_t address)
{
	GElf_Ehdr header;

	return !gelf_getehdr(elf, &header) || header.e_machine != EM_AARCH64 ||
	       address % AARCH64_INSTRUCTION == 0;
}

/* Returns whether an address is in an executable segment. */
static bool is_code(Elf *elf, uint64_t address)
{
	GElf_Phdr phdr;
	size_t count;

	if (!may_be_instruction(elf, address) || elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (gelf_getphdr(elf, (int)i, &phdr) &&
		    phdr.p_type == PT_LOAD && phdr.p_flags & PF_X &&
		    address - phdr.p_vaddr < phdr.p_filesz)
			return true;
	}
	return false;
}

static bool resembles(const char *one, const char *other)
{
	return strcasestr(one, other) ||
	       edits_between(one, other) <= SIMILAR_EDITS;
}

static void look_at(struct search *search, const char *name,
		    const GElf_Sym *symbol)
{
	search->symbols++;
	if (!strcmp(name, search->name)) {
		if (!search->found || symbol->st_value != search->address)
			search->found++;
		search->address = symbol->st_value;
		search->chosen_later |= GELF_ST_TYPE(symbol->st_info) ==
					STT_GNU_IFUNC;
	} else if (search->similar < MOST_SIMILAR &&
		   resembles(name, search->name)) {
		search->list = checked_append(search->list,
					      search->similar++ ? ", " : "",
					      name);
	}
}

static bool is_function(Elf *elf, const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_NOTYPE ||
		type == STT_GNU_IFUNC) &&
	       symbol->st_shndx != SHN_UNDEF && is_code(elf, symbol->st_value);
}

/*
 * Returns whether a name is an Arm mapping symbol: $x precedes code, $d
 * precedes data.
 */
static bool is_mark(const char *name)
{
	return name[0] == '$' && (name[1] == 'x' || name[1] == 'd') &&
	       (!name[2] || name[2] == '.');
}

static void look_in_table(struct search *search, Elf_Scn *section,
			  const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize ?
		       data->d_size / header->sh_entsize : 0;
	const char *name;
	GElf_Sym symbol;

	for (size_t i = 0; i < count; i++) {
		if (!gelf_getsym(data, (int)i, &symbol) ||
		    !is_function(search->elf, &symbol))
			continue;
		name = elf_strptr(search->elf, header->sh_link, symbol.st_name);
		if (name && *name && !is_mark(name))
			look_at(search, name, &symbol);
	}
}

/*
 * Searches the symbol tables of one type. A stripped file has only the dynamic
 * symbol table.
 */
static void look_in_tables(struct search *search, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(search->elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			look_in_table(search, section, &header);
	}
}

static void complain(const struct search *search, const char *path)
{
	if (search->chosen_later)
		message("%s in %s has several versions, and the CPU decides which one runs: find its name in a profile, and give its address, as printed by nm",
			search->name, path);
	else if (search->found)
		message("%u functions in %s are named %s: give the address of one, as printed by nm",
			search->found, path, search->name);
	else if (!search->symbols)
		message("%s is stripped of its symbols: give an address instead of %s",
			path, search->name);
	else if (search->similar)
		message("%s has no function %s; similar names: %s", path,
			search->name, search->list);
	else
		message("%s has neither a function %s nor one with a similar name; use nm to list its functions",
			path, search->name);
}

static bool find_name(Elf *elf, const char *path, const char *name,
		      uint64_t *address)
{
	struct search search = {
		.elf = elf,
		.name = name,
		.list = checked_strdup(""),
	};
	bool found;

	look_in_tables(&search, SHT_SYMTAB);
	if (!search.symbols)
		look_in_tables(&search, SHT_DYNSYM);
	found = search.found == 1 && !search.chosen_later;
	if (!found)
		complain(&search, path);
	free(search.list);
	*address = search.address;
	return found;
}

static bool find_address(Elf *elf, const char *path, const char *text,
			 uint64_t *address)
{
	if (!parse_u64(text, address))
		return find_name(elf, path, text, address);
	if (is_code(elf, *address))
		return true;
	message("%s has no code at %s: give an address as printed by nm and objdump",
		path, text);
	return false;
}

static bool find(Elf *elf, const char *path, const char *text,
		 int64_t *distance)
{
	GElf_Ehdr header;
	uint64_t address;

	if (gelf_getclass(elf) != ELFCLASS64 || !gelf_getehdr(elf, &header)) {
		message("cannot look up code in %s, because it is not a 64-bit program",
			path);
		return false;
	}
	if (!find_address(elf, path, text, &address))
		return false;
	*distance = (int64_t)(address - header.e_entry);
	return true;
}

bool symbols_find(const char *path, const char *name, const char *text,
		  int64_t *distance)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = false;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		ok = find(elf, name, text, distance);
	else
		message("cannot find code in %s: %s", name,
			fd < 0 ? strerror(errno) : elf_errmsg(-1));
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return ok;
}
