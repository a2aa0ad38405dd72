package inventory

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"perfdeck/paths"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
)

// address is where a host is reached.
type address struct {
	host string
	port int
	tcp  bool // DCE/RPC over TCP; else SMB's named pipe
}

// parseAddress takes tcp://NAME[:PORT], or NAME[:PORT], apart.
func parseAddress(name string) (address, error) {
	rest, tcp := strings.CutPrefix(name, paths.TCPScheme)
	a := address{tcp: tcp}
	a.port = a.usualPort()
	var err error
	switch host, port, cut := net.SplitHostPort(rest); {
	case cut == nil:
		a.host = host
		a.port, err = strconv.Atoi(port)
	case strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, "]") && net.ParseIP(rest[1:len(rest)-1]) != nil:
		a.host = rest[1 : len(rest)-1]
	case strings.Contains(rest, ":") && net.ParseIP(rest) == nil:
		err = cut
	default:
		a.host = rest
	}
	if err != nil || a.port < 1 || a.port > 65535 || !isHostText(a.host) {
		return address{}, failure.WithHint(fmt.Errorf(`host "%s": not a name with a port`, name), written(name))
	}
	return a, nil
}

// written says how a host is to be written: the name alone of what stands in a share, a path or a
// URL, in so far as there is one.
func written(name string) string {
	_, inURL, isURL := strings.Cut(name, "://")
	inPath, isPath := strings.CutPrefix(name, `\\`)
	if !isURL && !isPath {
		inPath, isPath = strings.CutPrefix(name, "//")
	}
	if isURL {
		inPath = inURL[strings.LastIndex(inURL, "@")+1:]
	}
	if i := strings.IndexAny(inPath, `/\`); i >= 0 {
		inPath = inPath[:i]
	}
	if (isURL || isPath) && isAddress(inPath) {
		return "write " + inPath + ", without what stands before and behind it"
	}
	return "write NAME:PORT or " + paths.TCPScheme + "NAME:PORT, an IPv6 address in brackets"
}

// isHostText tells whether a text may be the name or address of a host.
func isHostText(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`/\[]"'*?<>|`, r)
	})
}

func (a address) usualPort() int {
	if a.tcp {
		return rpc.DefaultPort
	}
	return rpc.SMBPort
}

// String is the address with its port where it is not the usual one of SMB.
func (a address) String() string {
	if !a.tcp && a.port == rpc.SMBPort {
		return a.host
	}
	return net.JoinHostPort(a.host, strconv.Itoa(a.port))
}

// isAddress tells what may be a host by itself.
func isAddress(name string) bool {
	_, err := parseAddress(name)
	return err == nil
}

// nameOfAddress is how a host is called that is reached by RPC; empty: it is no address.
func nameOfAddress(name string) string {
	a, err := parseAddress(name)
	if err != nil {
		return ""
	}
	return a.String()
}

// sameAddress tells whether two addresses lead to one host.
func sameAddress(a, b string, find lookup) bool {
	at, err := parseAddress(a)
	other, err2 := parseAddress(b)
	return err == nil && err2 == nil && at.sameHost(other, find)
}

// lookup finds the addresses of a host.
type lookup func(host string) ([]string, error)

// lookUp asks the system, for no longer than a start may take.
func lookUp(host string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return net.DefaultResolver.LookupHost(ctx, host)
}

// sameHost tells whether two addresses lead to one host: by the same name, or by
// its short and its full name where both are found at the same place.
func (a address) sameHost(b address, find lookup) bool {
	if a.port != b.port || a.tcp != b.tcp {
		return false
	}
	if paths.EqualFold(strings.TrimSuffix(a.host, "."), strings.TrimSuffix(b.host, ".")) {
		return true
	}
	short, full := a.host, b.host
	if len(short) > len(full) {
		short, full = full, short
	}
	first, _, cut := strings.Cut(full, ".")
	if !cut || !paths.EqualFold(first, short) || net.ParseIP(full) != nil {
		return false
	}
	atShort, err := find(short)
	if err != nil {
		return false
	}
	atFull, err := find(full)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(atShort, func(at string) bool { return slices.Contains(atFull, at) })
}
