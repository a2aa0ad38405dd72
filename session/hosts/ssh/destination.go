// Package ssh is the source that reads a host by the system's own ssh program: it runs
// perfdeck serve --stdio on the other side, where need be a copy of this program that
// it puts there, and talks MS-PCQ over the program's input and output.
//
// destination.go is how such a host is written, arguments.go what ssh is started with,
// process.go the running ssh as a connection, far.go what happens on the other side
// before that answers, binary.go what is copied there, ask.go the questions of ssh,
// failure.go its failures in words, source.go and facts.go the source.
package ssh

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"unicode"

	"perfdeck/paths"
)

// Scheme begins the hosts that are reached by ssh.
const Scheme = paths.SSHScheme

// Destination is a host as ssh knows it: by its name in ssh's own config, or in the net.
type Destination struct {
	User string // empty: as ssh's config says
	Host string
	Port int // 0: as ssh's config says
}

// Parse takes ssh://[user@]host[:port] apart. What ssh, or a shell that its config
// starts with the name, could take for something else is no name.
func Parse(text string) (Destination, error) {
	rest, ok := strings.CutPrefix(text, Scheme)
	d := Destination{Host: strings.TrimSuffix(rest, "/")}
	if at := strings.LastIndexByte(d.Host, '@'); at >= 0 {
		d.User, d.Host = d.Host[:at], d.Host[at+1:]
		ok = ok && isName(d.User, `.-_+@%\`)
	}
	switch host, port, err := net.SplitHostPort(d.Host); {
	case err == nil:
		d.Host = host
		if d.Port, err = strconv.Atoi(port); err != nil || d.Port < 1 || d.Port > 65535 {
			ok = false
		}
	case strings.HasPrefix(d.Host, "[") && strings.HasSuffix(d.Host, "]"):
		d.Host = d.Host[1 : len(d.Host)-1]
	case strings.Contains(d.Host, ":") && net.ParseIP(d.Host) == nil:
		ok = false
	}
	if address, _, zone := strings.Cut(d.Host, "%"); zone {
		ok = ok && net.ParseIP(address) != nil
	}
	if !ok || !isName(d.Host, ".-_:%") {
		return Destination{}, &Error{"read the host's name", fmt.Errorf("%q: %w", withoutPassword(text), errName), "write ssh://NAME, ssh://USER@NAME or ssh://USER@NAME:PORT, an IPv6 address in brackets"}
	}
	return d, nil
}

// withoutPassword is a text without what may be a password in it: it is shown, and ssh
// takes none there.
func withoutPassword(text string) string {
	rest, _ := strings.CutPrefix(text, Scheme)
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return text
	}
	user, _, has := strings.Cut(rest[:at], ":")
	if !has {
		return text
	}
	return text[:len(text)-len(rest)] + user + ":…" + rest[at:]
}

var errName = errors.New("not a host of ssh")

// maxName is how long a name may be.
const maxName = 255 // bytes

func isName(s, more string) bool {
	return s != "" && len(s) <= maxName && s[0] != '-' && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(more, r)
	})
}

// String is how the host is written.
func (d Destination) String() string {
	s := d.Name()
	if d.User != "" {
		s = d.User + "@" + s
	}
	return Scheme + s
}

// Name is the host with its port, if one was given.
func (d Destination) Name() string {
	switch {
	case d.Port != 0:
		return net.JoinHostPort(d.Host, strconv.Itoa(d.Port))
	case strings.Contains(d.Host, ":"):
		return "[" + d.Host + "]"
	}
	return d.Host
}
