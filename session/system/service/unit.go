package daemon

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"perfdeck/session/text/printable"
)

// unit is the unit file of a daemon. It lets the program do no more than it must:
// see systemd.exec(5). Its config is /etc/perfdeck/config.toml, its state
// /var/lib/perfdeck.
const unit = `[Unit]
Description=perfdeck: alerts on performance counters
Wants=network-online.target
After=network-online.target

[Service]
Type=notify
ExecStart=%s
# A config that is wrong is told by systemctl reload, and changes nothing.
ExecReload=%s
ExecReload=/bin/kill -HUP $MAINPID
WatchdogSec=120
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

// Where a daemon with this unit keeps its state, and has its config.
const (
	StateDir   = "/var/lib/perfdeck"
	ConfigFile = "/etc/perfdeck/config.toml"
)

// Unit is the unit file for systemd that runs a command, a program and its arguments, and before a reload
// another that fails where that cannot be.
func Unit(command, check []string) string {
	return fmt.Sprintf(unit, unitLine(command), unitLine(check))
}

func unitLine(command []string) string {
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = unitWord(word)
	}
	return strings.Join(words, " ")
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
		case printable.Text(c) != c:
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
