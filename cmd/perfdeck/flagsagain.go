package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flags of this command line that are given again: to whoever goes on with a recording, shows a file, or is
// started by systemd.

// openingFlagNames are the flags that say how hosts are opened. None is a secret.
var openingFlagNames = []string{
	"user", "password-file", "kerberos", "require-kerberos", "ccache", "keytab", "krb5-conf", "spn", "smb-encrypt", "max-rate", "demo", "config",
}

// openingFlags are those of a command line.
func openingFlags(c *cobra.Command) []string { return flagsOf(c, openingFlagNames) }

// flagsOf are the flags of a command line that were given, of some names, with files
// named from the root on.
func flagsOf(c *cobra.Command, names []string) (flags []string) {
	for _, name := range names {
		f := c.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		flags = append(flags, "--"+name+"="+wholeValue(name, f.Value.String()))
	}
	return flags
}

// restoreFlags sets the flags with which hosts are opened, unless the command line
// has them.
func restoreFlags(c *cobra.Command, flags []string) error {
	for _, text := range flags {
		name, value, _ := strings.Cut(strings.TrimPrefix(text, "--"), "=")
		f := c.Flags().Lookup(name)
		if f == nil || f.Changed {
			continue
		}
		if err := c.Flags().Set(name, value); err != nil {
			return fmt.Errorf("resume a recording: --%s: %w", name, err)
		}
	}
	return nil
}

// flagValues are the values of a flag, each of which is given once. Files are
// named from the root on.
func flagValues(f *pflag.Flag) []string {
	values := []string{f.Value.String()}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values = slices.Clone(list.GetSlice())
	}
	for i, value := range values {
		values[i] = wholeValue(f.Name, value)
	}
	return values
}

// fileFlags name files and folders.
var fileFlags = append([]string{
	"config", "ccache", "krb5-conf", "hosts-file", "counters-file", "manifest", "ca-file", "cert-file", "queue", "samba-pipe",
}, secretFlags...)

// wholeValue is a value of a flag, that of a file named from the root on: who is given
// it may be in another folder. A name in the home folder stays one of whoever reads it.
func wholeValue(name, value string) string {
	if value == "" || value == stdinName || strings.HasPrefix(value, "~") || !slices.Contains(fileFlags, name) {
		return value
	}
	return whole(value)
}
