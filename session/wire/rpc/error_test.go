package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/sheet"
	"perfdeck/session/wire/krb"
	"perfdeck/session/wire/smb"
)

func TestErrors(t *testing.T) {
	for _, v := range []struct {
		err    Error
		denied bool
		hint   string
	}{
		{Error{Code: CodeAccessDenied}, true, "Performance Monitor Users"},
		{Error{Code: 0xC000006D}, true, "password"},
		{Error{Code: 0x775}, true, "locked"},
		{Error{Code: FaultContextMismatch}, false, "anew"},
		{Error{Code: CodeBadStubData}, false, ""},
		{Error{Err: fmt.Errorf("asked: %w", context.DeadlineExceeded)}, false, "firewall"},
		{Error{Err: errSignature}, false, "traffic"},
		{Error{Err: errNoUser}, false, "--user"},
	} {
		v.err.Op, v.err.Host = "query counter data", "host\x1b[2J"
		wrapped := fmt.Errorf("read: %w", &v.err)
		if errors.Is(wrapped, session.ErrDenied) != v.denied {
			t.Errorf("%v: denied is not %v", wrapped, v.denied)
		}
		if hint := v.err.Hint(); !strings.Contains(hint, v.hint) || (hint == "") != (v.hint == "") {
			t.Errorf("%v: hint %q", wrapped, hint)
		}
		if text := v.err.Error(); strings.Contains(text, "\x1b") || !strings.Contains(text, v.err.Op) {
			t.Errorf("error reads %q", text)
		}
		if v.err.Err != nil && !errors.Is(wrapped, v.err.Err) {
			t.Errorf("%v: the cause is lost", wrapped)
		}
	}
}

// every are all codes.
func every() map[Code]codeInfo {
	codes, _ := codeSheet()
	return codes
}

// Who is refused is told what to do about it.
func TestRefusalsHaveHints(t *testing.T) {
	for code, row := range every() {
		if row.denied && row.hint == "" {
			t.Errorf("%v has no hint", code)
		}
	}
	_, hints := codeSheet()
	for r := range sheet.Rows(codesText) {
		for _, word := range r.Words[1:] {
			if r.Part != "hints" && word != "denied" && word != "wrong" && hints[word] == "" {
				t.Errorf("%s: there is no hint %q", r.Name, word)
			}
		}
	}
}

// What may count towards locking an account is told from all else, which concerns
// its host alone.
func TestWrongPasswords(t *testing.T) {
	logOn := func(status smb.Status) error {
		return &smb.Error{Step: smb.LoggedOn, Op: "log on over SMB", Err: status}
	}
	for _, v := range []struct {
		op     string
		err    error
		change func(*Options)
		want   bool
	}{
		{op: opLogOn, err: Fault(CodeAccessDenied), want: true},
		{op: "connect", err: logOn(0xC000006D), want: true},
		{op: "connect", err: logOn(0xC000006A), want: true},
		{op: "connect", err: logOn(0xC0000234), want: true},
		{op: opLogOn, err: &krb.Error{Op: "log on to the realm", Code: 24}, want: true},
		{op: opLogOn, err: &krb.Error{Op: "log on to the realm", Code: 18}, want: true},
		{op: opLogOn, err: Fault(CodeAccessDenied), change: func(o *Options) { o.taken = true }}, // SMB had taken it
		{op: "connect", err: logOn(0xC000006D), change: func(o *Options) { o.tickets = true }},   // the ticket
		{op: "connect", err: logOn(0xC0000418)},                                                  // no NTLM
		{op: "connect", err: logOn(0xC000015B)},                                                  // log-on type
		{op: "connect", err: logOn(0xC0000022)},                                                  // a policy
		{op: "connect", err: logOn(0xC0000413)},                                                  // another domain
		{op: "connect", err: &smb.Error{Step: smb.LoggedOn, Op: "log on over SMB", Err: smb.ErrGuest}},
		{op: "connect", err: &smb.Error{Step: smb.Opened, Op: "open", Err: smb.Status(0xC0000022)}},
		{op: "connect", err: &smb.Error{Step: smb.LoggedOn, Op: "log on over SMB", Err: io.EOF}},
		{op: "connect", err: io.EOF},
		{op: opLogOn, err: &krb.Error{Op: "get a ticket", Code: 7}},
		{op: "query counter data", err: Fault(CodeAccessDenied)},
	} {
		c := &Client{}
		if v.change != nil {
			v.change(&c.o)
		}
		if err := c.failure(t.Context(), v.op, v.err); IsWrongPassword(err) != v.want {
			t.Errorf("%v: %v", err, !v.want)
		}
	}
	c := &Client{}
	skewed := c.failure(t.Context(), opLogOn, &krb.Error{Op: "get a ticket", Code: 37, Skew: -10 * time.Minute})
	if text := skewed.Error(); !strings.Contains(text, "10 min ahead of") || skewed.Hint() != advice("clock") {
		t.Errorf("%s, hint %q", text, skewed.Hint())
	}
}

// Nobody reads what a library calls the end of a connection or of a time.
func TestErrorsAreInWords(t *testing.T) {
	ended, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for _, v := range []struct {
		ctx context.Context
		err error
	}{
		{t.Context(), io.EOF},
		{t.Context(), io.ErrUnexpectedEOF},
		{t.Context(), fmt.Errorf("read: %w", os.ErrDeadlineExceeded)},
		{t.Context(), &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}},
		{t.Context(), &smb.Error{Step: smb.Negotiated, Op: "negotiate SMB", Err: io.EOF}},
		{t.Context(), &krb.Error{Op: "get a ticket", Err: fmt.Errorf("10.0.0.1:88: no answer in time: %w", context.DeadlineExceeded)}},
		{ended, io.EOF},
	} {
		err := (&Client{}).failure(v.ctx, "connect", v.err)
		shown := HostError("web", "connect", err)
		for _, text := range []string{err.Error(), shown.Error(), HostError("web", "connect", v.err).Error()} {
			if strings.Contains(text, "EOF") || strings.Contains(text, "deadline") || strings.Contains(text, "i/o timeout") || strings.Count(text, "in time") > 1 {
				t.Errorf("%v reads %q", v.err, text)
			}
		}
		if shown.Hint() == "" {
			t.Errorf("%v has no hint", err)
		}
	}
}

func TestCodeNames(t *testing.T) {
	for code, row := range every() {
		if row.name == "" || code.String() != row.name {
			t.Errorf("0x%X is named %q", uint32(code), code)
		}
	}
	if s := Code(0x12345).String(); !strings.Contains(s, "12345") {
		t.Errorf("unknown code reads %q", s)
	}
}

// The addresses of a connection are no part of what people read: the host is named already.
func TestErrorsWithoutAddresses(t *testing.T) {
	at := func(port int) net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port} }
	for _, op := range []string{"read", "write"} {
		e := &Error{Op: "read counters", Host: "web01"}
		e.classify(fmt.Errorf("call: %w", &net.OpError{Op: op, Net: "tcp", Source: at(40122), Addr: at(14500), Err: os.ErrDeadlineExceeded}))
		if got, want := e.Error(), "web01: read counters: call: no answer in time"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if !errors.Is(e, os.ErrDeadlineExceeded) {
			t.Error("the cause is lost")
		}
	}
}

// A host that cannot be dialed is named once, and so is what was tried with it.
func TestErrorOfDialingIsSaidOnce(t *testing.T) {
	call := &Error{Op: "connect", Host: "tcp://127.0.0.1:9", Err: &net.OpError{
		Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}, Err: os.NewSyscallError("connect", errors.New("connection refused")),
	}}
	if got, want := HostError("127.0.0.1:9", "connect", call).Error(), "tcp://127.0.0.1:9: connect: connection refused"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
