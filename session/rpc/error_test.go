package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"perfdeck/session"
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

func TestCodeNames(t *testing.T) {
	for code, row := range codes {
		if row.name == "" || code.String() != row.name {
			t.Errorf("0x%X is named %q", uint32(code), code)
		}
	}
	if s := Code(0x12345).String(); !strings.Contains(s, "12345") {
		t.Errorf("unknown code reads %q", s)
	}
}
