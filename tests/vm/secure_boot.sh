# SPDX-License-Identifier: MIT OR GPL-2.0
#
# To be sourced in a guest with Secure Boot, after doctor.sh: what remedies of pfmon
# doctor run there. The modules have been built, and are not signed; whoever is asked for
# a password gives one; the host reboots the guest.

export PASSWORD=secret
provided='
make() {
	mkdir -p build/modules/$(uname -r)
	case $1 in
	modules) cp -r /lib/modules/$(uname -r)/extra build/modules/$(uname -r) ;;
	modules_install) cp -r build/modules/*/extra /lib/modules/$(uname -r) && depmod ;;
	esac
}
mokutil() { printf "$PASSWORD\n$PASSWORD\n" | /usr/bin/mokutil "$@"; }
reboot() { :; }'
eval "$provided"

prepare_firmware() {
	mount -t efivarfs efivarfs /sys/firmware/efi/efivars
}

# For the next boot.
keep() {
	cp -r "$extra" $OUT/modules && cp -r /var/lib/dkms $OUT/dkms
}
