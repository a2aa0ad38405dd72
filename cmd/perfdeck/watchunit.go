package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfdeck/session"
)

// unit is the unit file of watch. It lets the program do no more than it must:
// see systemd.exec(5). Its config is /etc/perfdeck/config.toml, its state
// /var/lib/perfdeck.
const unit = `[Unit]
Description=perfdeck: alerts on performance counters
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
ExecStart=%s
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=5
TimeoutStopSec=20
# Passwords and tokens: LoadCredential=web01:/etc/perfdeck/web01.password here, and
# password_file = "/run/credentials/perfdeck-watch.service/web01" in the config.

DynamicUser=yes
ConfigurationDirectory=perfdeck
StateDirectory=perfdeck
StateDirectoryMode=0700
Environment=XDG_CONFIG_HOME=/etc XDG_STATE_HOME=/var/lib
UMask=0077

CapabilityBoundingSet=
NoNewPrivileges=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=read-only
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectSystem=strict
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
# What tasks of alerts start counts, too.
TasksMax=256

[Install]
WantedBy=multi-user.target
`

// printUnit prints a unit file that runs the command with the flags at hand.
func (p *program) printUnit(c *cobra.Command) error {
	name, err := os.Executable()
	if err != nil {
		return fmt.Errorf("print the unit file: %w", err)
	}
	_, err = fmt.Fprintf(p.out, unit, unitCommand(name, c))
	return unlessPipe(err)
}

// unitCommand is the command line as ExecStart= has it.
func unitCommand(name string, c *cobra.Command) string {
	words := []string{unitWord(name), "watch"}
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Name == "systemd" {
			return
		}
		for _, value := range flagValues(f) {
			words = append(words, unitWord("--"+f.Name+"="+value))
		}
	})
	return strings.Join(words, " ")
}

// flagValues are the values of a flag, each of which is given once. Files are
// named from the root on.
func flagValues(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	value := f.Value.String()
	if f.Name == "config" || f.Name == "password-file" {
		if whole, err := filepath.Abs(value); err == nil {
			value = whole
		}
	}
	return []string{value}
}

// unitWord quotes a word for ExecStart= (systemd.service(5), COMMAND LINES): % and
// $ mean something there, and so do backslashes in quotes.
func unitWord(word string) string {
	word = strings.NewReplacer(`%`, `%%`, `$`, `$$`).Replace(word)
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:@,+%") == "" {
		return word
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(word); {
		_, size := utf8.DecodeRuneInString(word[i:])
		switch c := word[i : i+size]; {
		case c == `\` || c == `"`:
			b.WriteString(`\` + c)
		case session.Printable(c) != c:
			for _, octet := range []byte(c) {
				fmt.Fprintf(&b, `\x%02x`, octet)
			}
		default:
			b.WriteString(c)
		}
		i += size
	}
	return b.String() + `"`
}
