package service

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdeck/session/text/printable"
)

// unit is the unit file of a service. It lets the program do no more than it must: see systemd.exec(5).
// A shell is of every system, kill of not every one.
const unit = `[Unit]
Description=perfdeck: %[1]s
Wants=network-online.target
After=network-online.target

[Service]
Type=notify
ExecStart=%[2]s
# A config that is wrong is told by systemctl reload, and changes nothing.
ExecReload=%[3]s
ExecReload=/bin/sh -c 'kill -HUP $$MAINPID'
WatchdogSec=120
Restart=on-failure
RestartSec=5
TimeoutStopSec=20
# Secrets of the config: LoadCredential=web01:/etc/perfdeck/web01.password here, and
# password_file = "/run/credentials/%[4]s.service/web01" there.
%[5]s
DynamicUser=yes
ConfigurationDirectory=perfdeck
StateDirectory=%[6]s
StateDirectoryMode=0700
Environment=XDG_CONFIG_HOME=/etc XDG_STATE_HOME=/var/lib%[7]s
UMask=0077

CapabilityBoundingSet=
NoNewPrivileges=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
PrivateDevices=yes
PrivateMounts=yes
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
SystemCallErrorNumber=EPERM
# Programs that it starts count, too: tasks of alerts, feeds, an ssh for each host of ssh.
TasksMax=256

[Install]
WantedBy=multi-user.target
`

// Where the service that commands look for keeps its state, and what config all have.
const (
	StateDir   = "/var/lib/perfdeck"
	ConfigFile = "/etc/perfdeck/config.toml"
)

// Unit is a service for systemd.
type Unit struct {
	Name        string   // as it is called if nobody gives it another name
	Description string   // what it does
	Command     []string // a program and its arguments
	Check       []string // fails before a reload where that cannot be
	Secrets     []Secret // files that root alone may read
	Main        bool     // its state is in StateDir; of others in a folder by the name of the unit
	Needs       []string // what some flags ask for besides: comments
	Journal     bool     // it reads the journal of the computer
}

// Secret is a file that systemd hands to the service, which is told by a flag where it is then.
type Secret struct{ Flag, File string }

// String is the unit file.
func (u *Unit) String() string {
	var command, handed strings.Builder
	command.WriteString(unitLine(u.Command))
	for i, s := range u.Secrets {
		name := s.Flag
		if slices.ContainsFunc(u.Secrets[:i], func(other Secret) bool { return other.Flag == s.Flag }) {
			name += fmt.Sprint("-", i)
		}
		fmt.Fprintf(&command, " --%s=%%d/%s", s.Flag, name)
		fmt.Fprintf(&handed, "LoadCredential=%s\n", unitWord(name+":"+s.File))
	}
	for _, text := range u.Needs {
		fmt.Fprintf(&handed, "# %s\n", text)
	}
	if u.Journal {
		handed.WriteString("SupplementaryGroups=systemd-journal\n")
	}
	folder, below := "%N", "/%N"
	if u.Main {
		folder, below = "perfdeck", ""
	}
	return fmt.Sprintf(unit, u.Description, command.String(), unitLine(u.Check), u.Name, handed.String(), folder, below)
}

// IsHandedToOthers tells that an error is about a file that systemd hands to a service, which alone may read it:
// as of systemd 252 not even what its unit runs before a reload may. mine is the folder of one's own, empty for none.
func IsHandedToOthers(err error, mine string) bool {
	file, ok := errors.AsType[*fs.PathError](err)
	if !ok || !strings.HasPrefix(file.Path, "/run/credentials/") {
		return false
	}
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) && mine != "" && !strings.HasPrefix(file.Path, mine+"/")
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
