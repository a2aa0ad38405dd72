package platest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/krb"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// spn is what tickets for objects of hosts are for.
const spn = "RPCSS/srv1.perf.test"

// logOns are hosts that take an account in one way, and how clients log on there.
func logOns(t *testing.T) map[string]func(*Options, *rpc.Options) {
	k := smbtest.StartKDC(t)
	k.Admin("addprinc -randkey " + spn)
	k.Admin("ktadd -k " + k.Keytab() + " " + spn)
	service, err := krb.NewService(k.Keytab())
	if err != nil {
		t.Fatal(err)
	}
	tickets, err := rpc.NewKerberos(rpc.KerberosOptions{Config: k.Config, User: smbtest.User, Password: smbtest.FixedPassword(smbtest.Password)})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func(*Options, *rpc.Options){
		"NTLM, negotiated": func(_ *Options, o *rpc.Options) { o.Authentication = rpc.SPNEGO },
		"NTLM":             func(_ *Options, o *rpc.Options) { o.Authentication = rpc.NTLM },
		"Kerberos": func(h *Options, o *rpc.Options) {
			h.Tickets = service
			h.Accounts = func(name string) ([16]byte, bool) {
				return [16]byte{1}, strings.EqualFold(name, smbtest.User+"@"+smbtest.Realm)
			}
			o.Authentication, o.RequireKerberos, o.Kerberos, o.SPN, o.Password = rpc.WithKerberos, true, tickets, spn, nil
		},
	}
}

// Sets are listed, read and started by every way to log on, one at a time and side by side; a
// wrong password is told as that.
func TestLogOns(t *testing.T) {
	t.Parallel()
	for name, way := range logOns(t) {
		for _, one := range []bool{false, true} {
			o := Options{OneAtATime: one}
			way(&o, &rpc.Options{})
			h := filled(t, o, 100) // more than may be under way
			dial := func(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error) {
				to := h.Reach(port, interfaces...)
				way(&Options{}, &to)
				return rpc.Dial(ctx, to)
			}
			c := pla.New(dial, h.Port())
			l, err := c.List(t.Context())
			if err != nil || len(l.Sets) != 103 {
				t.Errorf("%s: %+v, %v", name, l, err)
			}
			if s, err := c.Read(t.Context(), service("Set99")); err != nil || s.XML != xmlOf("Set99") {
				t.Errorf("%s: %+v, %v", name, s, err)
			}
			if err := c.Start(t.Context(), service("Set99")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			settled(t, h)
			_ = c.Close()
			h.Close()
		}
	}
	h := filled(t, Options{}, 1)
	wrong := func(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error) {
		to := h.Reach(port, interfaces...)
		to.Password = smbtest.FixedPassword("wrong")
		return rpc.Dial(ctx, to)
	}
	c := pla.New(wrong, h.Port())
	defer c.Close()
	_, err := c.List(t.Context())
	if e, is := errors.AsType[*rpc.Error](err); !is || e.Code != rpc.CodeAccessDenied || !e.IsLogOn() {
		t.Errorf("a wrong password: %v", err)
	}
	if hint := failure.Hint(err); !strings.Contains(hint, "Performance Log Users") || strings.Contains(hint, "winreg") {
		t.Errorf("a wrong password: the hint is %q", hint)
	}
	if n := h.Calls("IRemoteSCMActivator.RemoteCreateInstance"); n != 0 {
		t.Errorf("activated %d times", n)
	}
}
