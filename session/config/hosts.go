package config

import (
	"net"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/past"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

const hostTable = "host"

// passwordAt is where a host's password may be said to be.
var passwordAt = secretKeys{bare: "password", file: "password_file", command: "password_command", keyring: "keyring"}

// Host is a [[host]] table.
type Host struct {
	Name     string
	Address  string // ssh://NAME, tcp://NAME:PORT, or NAME; which are reached is for those who open hosts
	User     string // as DOMAIN\name; empty: not said
	Password PasswordRef

	Kerberos, RequireKerberos bool
	CCache, Keytab            string // files with tickets and with keys; empty: not said
	SPN                       string // what the host's ticket is for; empty: not said
	SMBEncrypt                bool   // refused where its SMB cannot encrypt

	MaxRate      int64 // bytes a second; 0: not said
	EndpointPort int   // where its objects are asked for; 0: the usual one

	Shares map[string]string // by which its folders are reached, as C:\PerfLogs by perflogs

	Deploy bool // perfdeck is copied there, where it is reached by ssh
	Costly bool // its costly V1 objects are read too
	Watch  bool // also when no host is named

	Services bool                 // the exporter counts its services
	Events   []session.EventLevel // what it writes down counts from the least of these on; nil: all; empty: nothing does

	Sets    []string // its data collector sets that are shown, and that alerts may start
	StopAny bool     // alerts may stop those that others began
}

// Host finds a host by its name, compared without case.
func (c *Config) Host(name string) (Host, bool) {
	return find(c.Hosts, func(h *Host) bool { return paths.EqualFold(h.Name, name) })
}

func decodeHost(t table) Host {
	h := Host{
		Name:     required(t, "name", computerName()),
		Address:  required(t, "address", address()),
		Password: t.secretRef(passwordAt),
	}
	set(t, "user", account(), &h.User)
	set(t, "max_rate", rate(), &h.MaxRate)
	set(t, "endpoint_port", whole(1, 65535), &h.EndpointPort)
	var stops whose
	set(t, "sets", texts(`names of data collector sets, as ["Detail", 'System\System Performance']`, isSetName), &h.Sets)
	set(t, "events", list(`levels of events, as ["warning"], or [] for none`, func(s string) (l session.EventLevel, ok bool) { return l, l.UnmarshalText([]byte(s)) == nil }), &h.Events)
	set(t, "stop_sets", oneOf[whose]("own", "any"), &stops)
	h.StopAny = stops == anybodys
	h.Shares = t.texts("shares", mostListItems, isHostFolder, `a folder of the host, as 'C:\PerfLogs'`, text("the name of a share", isShareName))
	for key, to := range map[string]*bool{"kerberos": &h.Kerberos, "require_kerberos": &h.RequireKerberos, "smb_encrypt": &h.SMBEncrypt, "costly": &h.Costly, "deploy": &h.Deploy, "watch": &h.Watch, "services": &h.Services} {
		set(t, key, yesNo(), to)
	}
	for key, to := range map[string]*string{"ccache": &h.CCache, "keytab": &h.Keytab, "spn": &h.SPN} {
		set(t, key, text("a file, or a name", func(s string) bool { return s != "" && printable.Text(s) == s }), to)
	}
	return h
}

// isHostFolder tells folders as Windows has them, by their drives.
func isHostFolder(s string) bool {
	drive, rest, ok := strings.Cut(s, `:\`)
	return ok && len(drive) == 1 && unicode.IsLetter(rune(drive[0])) && drive[0] < utf8.RuneSelf && plainText(s) && !strings.ContainsAny(rest, `/:`)
}

func isShareName(s string) bool { return plainText(s) && s != "" && !strings.ContainsAny(s, `/\:`) }

// required reads a value that must be there.
func required[T any](t table, key string, r reader[T]) (value T) {
	if _, there := t.value(key); !there {
		t.missing(key, r.expected)
		return value
	}
	if v := optional(t, key, r); v != nil {
		return *v
	}
	return value
}

// computerName takes the name of a host: one that cannot be taken for an
// address, for this computer or for a part of a counter path.
func computerName() reader[string] {
	return text(`a name of its own, as "web01"; "local" and "." are this computer`, func(s string) bool {
		return isHost(s) && utf8.RuneCountInString(s) <= maxNameLen && s != "." && !paths.EqualFold(s, "local") && !strings.ContainsAny(s, `/\`)
	})
}

// address takes the address of a host: with one of the schemes, of an engine, or a name alone.
func address() reader[string] {
	var forms []string
	for _, s := range paths.Schemes() {
		forms = append(forms, strconv.Quote(s.String()))
	}
	forms = append(forms, strconv.Quote(past.EnginePrefix+"https://ENGINE#HOST"))
	return text("an address, as "+english.Either(forms), func(s string) bool {
		if rest, is := strings.CutPrefix(s, past.EnginePrefix); is {
			return isEngineHost(rest)
		}
		for _, scheme := range paths.Schemes() {
			if rest, is := strings.CutPrefix(s, scheme.Prefix); is {
				return fits[scheme.Form](rest)
			}
		}
		return isHostAddress(s)
	})
}

// fits tells what can stand behind a scheme.
var fits = map[paths.Form]func(rest string) bool{
	paths.HostName: isSchemedName,
	paths.HostPort: isHostWithPort,
}

func isEngineHost(rest string) bool {
	at, host, one := strings.Cut(rest, "#")
	return isEngine(past.EnginePrefix+at) && one && host != "" && printable.Text(host) == host
}

// isSchemedName tells what can be a name; its form is for those who open hosts.
func isSchemedName(rest string) bool {
	return rest != "" && printable.Text(rest) == rest && !strings.ContainsAny(rest, " /")
}

func isHostAddress(rest string) bool { return isHost(rest) && !strings.ContainsAny(rest, `/\`) }

func isHostWithPort(rest string) bool {
	if !isHostAddress(rest) {
		return false
	}
	host, port, err := net.SplitHostPort(rest)
	if err != nil { // without a port
		return !strings.Contains(rest, ":") || strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, "]")
	}
	n, err := strconv.Atoi(port)
	return host != "" && err == nil && 0 < n && n <= 65535
}

// account takes the name of an account. A control character is an escape of
// TOML that was meant as a backslash.
func account() reader[string] {
	const most = 256 // characters, more than any system allows
	return text(`an account, as 'DOMAIN\name' in single quotes`, func(s string) bool {
		return s != "" && s == strings.TrimSpace(s) && printable.Text(s) == s && utf8.RuneCountInString(s) <= most &&
			!strings.HasSuffix(s, `\`)
	})
}
