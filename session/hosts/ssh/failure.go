package ssh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"perfdeck/session"
	"perfdeck/session/system/lazy"
	"perfdeck/session/text/printable"
)

// Error is what was tried with ssh, why it failed and what can be done.
type Error struct {
	Op     string // empty: to connect, which those who show it say
	Err    error
	Advice string
}

func (e *Error) Error() string {
	if e.Op == "" {
		return printable.Text(e.Err.Error())
	}
	return printable.Text(e.Op + ": " + e.Err.Error())
}
func (e *Error) Unwrap() error { return e.Err }

// Hint says what can be done.
func (e *Error) Hint() string { return e.Advice }

// Codes that ssh and shells end with.
const (
	exitSSH       = 255 // ssh's own failures
	exitCannotRun = 126
	exitNotFound  = 127
)

var (
	errDenied  = fmt.Errorf("%w: the host takes none of the keys and passwords that it was given", session.ErrDenied)
	errUnknown = fmt.Errorf("%w: the host's key is not known", session.ErrDenied)
	errChanged = fmt.Errorf("%w: the host's key is not the one that is known", session.ErrDenied)
)

// notThere is a failure to find the host, in words.
type notThere string

func (e notThere) Error() string      { return string(e) }
func (notThere) Is(target error) bool { return target == session.ErrNotThere }

// hintByHand is the hint where ssh itself tells more.
const hintByHand = "try ssh to it in a shell, which tells more"

// hintShell is the hint where the other side ends before perfdeck's script runs.
const hintShell = "may the user run programs there? a login shell as nologin, or ForceCommand in sshd_config (sftp alone), does not let it: another user is named by ssh://USER@NAME"

// badOption is what ssh says of an option that it does not have.
const badOption = "bad configuration option"

// saying is a failure by ssh's own words, in lower case.
type saying struct {
	words  string
	err    error  // nil: ssh's words
	advice string // %s is the host as ssh is given it
}

// sayings are looked for in this order: what is told first stands before what follows.
var sayings = []saying{
	{"remote host identification has changed", errChanged, removeKey},
	{"revoked host key", errChanged, "ask who keeps the host what has become of its key"},
	{"host key verification failed", errUnknown, "connect once by hand, ssh %s, and compare the fingerprint"},
	{"no matching host key type", nil, "the host offers only kinds of keys that ssh does not take any more: see HostKeyAlgorithms in ssh_config"},
	{"too many authentication failures", errDenied, "name the key: IdentityFile and IdentitiesOnly yes in ssh's config"},
	{"permission denied", errDenied, "check the user and the keys: ssh %s in a shell; without a terminal ssh asks nothing"},
	{badOption, nil, "ssh does not know an option of its config"},
	{"could not resolve hostname", notThere("the name is not known"), "check the host's name: neither ssh's config nor the net knows it"},
	{"connection refused", notThere("nothing listens on the port"), "does the host run an ssh server, and on this port?"},
	{"no route to host", notThere("no way leads to the host"), "check its address, and that it is on"},
	{"network is unreachable", errors.New("no way leads to the host's network"), "check the network"},
	{"timed out during banner exchange", errors.New("it takes the connection and does not answer"), "the host is overloaded, or something else listens there"},
	{"timed out", errors.New("no answer in time"), "the host is off, or a firewall drops the traffic"},
	{"timeout, server", errors.New("no answer in time"), "the host or the network has stopped"},
	{"kex_exchange_identification", errors.New("the host closed the connection before the log-on"), "too many connections may be waiting for their log-on there (MaxStartups in sshd_config)"},
	{"connection reset", errors.New("the host closed the connection"), "it may have restarted"},
	{"connection closed", errors.New("the host closed the connection"), "it may have restarted, or does not let this user in"},
	{"broken pipe", errors.New("the connection is broken"), "the network or the host has gone"},
	{"not allowed at this time", nil, hintByHand},
}

// connectionError is why a connection ended, by what is known: how ssh ended, what it said, and
// what was seen here.
func connectionError(d Destination, code int, said string, seen error) error {
	if e, ok := errors.AsType[*Error](seen); ok { // it is told already
		return e
	}
	said = withoutDebug(said)
	lower := strings.ToLower(said)
	if code == exitSSH || code < 0 {
		for _, s := range sayings {
			if strings.Contains(lower, s.words) {
				return s.of(d, said)
			}
		}
	}
	last := lastLine(said)
	noise, isSpoken := errors.AsType[*lastWords](seen)
	switch {
	case errors.Is(seen, context.DeadlineExceeded):
		return &Error{"", errors.New("no answer in time"), "the host or the network is slow or has stopped; " + hintByHand}
	case errors.Is(seen, context.Canceled):
		return seen
	case code == exitSSH && last != "":
		return &Error{"", errors.New(last), hintByHand}
	case code == exitCannotRun:
		return &Error{"start perfdeck on the host", errors.New(cmp.Or(last, "it may not be run")), "is ~/.cache there on a file system that is mounted noexec? perfdeck hosts clean, then --deploy, puts it elsewhere"}
	case code == exitNotFound:
		return &Error{"start perfdeck on the host", errors.New(cmp.Or(last, "the program is not found")), "the host needs sh and the usual tools"}
	case isSpoken:
		return &Error{"start perfdeck on the host", noise, hintShell}
	case code > 0 && last != "" && errors.Is(seen, errFarEnd):
		return &Error{"start perfdeck on the host", errors.New(last), hintShell}
	case code > 0 && last != "":
		return &Error{"start perfdeck on the host", errors.New(last), hintByHand}
	case errors.Is(seen, errNoise) || errors.Is(seen, errFar):
		return &Error{"talk to the host's shell", seen, hintByHand + "; what .bashrc and its like print belongs behind a test for a terminal"}
	case errors.Is(seen, errFarEnd):
		return &Error{"", errors.New(cmp.Or(last, errFarEnd.Error())), hintShell}
	case errors.Is(seen, io.EOF) || errors.Is(seen, syscall.EPIPE):
		return &Error{"", errors.New(cmp.Or(last, "perfdeck on the host has ended")), "was it killed there, as by the OOM killer (dmesg tells), or the host shut down? it is started again"}
	}
	return &Error{"", seen, hintByHand}
}

func (s *saying) of(d Destination, said string) error {
	e := &Error{"", s.err, s.advice}
	if s.err == nil {
		e.Err = errors.New(lineWith(said, s.words))
	}
	if strings.Contains(e.Advice, "%s") {
		e.Advice = fmt.Sprintf(e.Advice, d.byHand())
	}
	if e.Advice == removeKey {
		e.Advice += "ssh-keygen" + keyOf(said, d)
	}
	return e
}

// removeKey is the hint on a key that changed, without what is removed.
const removeKey = "if the host was set up anew, remove its old key: "

// What ssh says of a key that changed (sshconnect.c): the name that it is kept by, which is not
// the one that was given where HostName, Port or HostKeyAlias of ssh's config say otherwise, and
// where it is kept. Nothing in them is more to a shell than it is.
var (
	changedKey  = lazy.Regexp(`(?m)^Host key for ([\w.:%\[\]-]+) has changed`)
	offendedKey = lazy.Regexp(`(?m)^Offending .* key in (/[\w./+@-]+):\d+`)
)

// keyOf are the arguments of ssh-keygen that remove a key that changed.
func keyOf(said string, d Destination) (args string) {
	said = strings.ReplaceAll(said, "\r", "")
	if file := offendedKey().FindStringSubmatch(said); file != nil {
		args += " -f " + file[1]
	}
	name := d.Host
	if known := changedKey().FindStringSubmatch(said); known != nil {
		if name = known[1]; strings.Contains(name, "[") {
			name = "'" + name + "'"
		}
	}
	return args + " -R " + name
}

// lastWords is what the other side said, other than perfdeck's script, before it ended.
type lastWords struct{ text string }

func (e *lastWords) Error() string { return fmt.Sprintf(`it says "%s", and ends`, lastLine(e.text)) }
func (e *lastWords) Unwrap() error { return errFarEnd }

// byHand is the host as a user of ssh types it.
func (d Destination) byHand() string {
	s := d.Host
	if d.User != "" {
		s = d.User + "@" + s
	}
	if d.Port != 0 {
		s = fmt.Sprintf("-p %d %s", d.Port, s)
	}
	return s
}

func short(text string) string { return printable.Shorten(printable.Text(text), 200) }

// debugLine is what ssh says of its own doings, or says always.
var debugLine = lazy.Regexp(`^(debug\d: |OpenSSH_|Authenticated to |Transferred: |Bytes per second: )`)

func withoutDebug(said string) string {
	var b strings.Builder
	for line := range strings.Lines(said) {
		if !debugLine().MatchString(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// lastLine is the last line with something in it.
func lastLine(said string) string {
	said = strings.TrimSpace(said)
	return short(strings.TrimSpace(said[strings.LastIndexByte(said, '\n')+1:]))
}

func lineWith(said, words string) string {
	for line := range strings.Lines(said) {
		if strings.Contains(strings.ToLower(line), words) {
			return short(strings.TrimSpace(line))
		}
	}
	return words
}
