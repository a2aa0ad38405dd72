package rpc

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/wire/krb"
	"perfdeck/session/wire/smbtest"
)

// realm is a KDC and a host that takes its tickets.
type realm struct {
	*smbtest.KDC

	host *smbtest.Server
}

func startRealm(t testing.TB, global ...string) *realm {
	k := smbtest.StartKDC(t)
	o := k.Options()
	o.Global, o.Performance = append(o.Global, global...), &someData
	return &realm{k, smbtest.Start(t, o)}
}

// options log on with tickets from where the change says; by password without
// one.
func (r *realm) options(t testing.TB, change func(*KerberosOptions)) Options {
	t.Helper()
	k := KerberosOptions{Config: r.Config, User: smbtest.User, Password: smbtest.FixedPassword(smbtest.Password)}
	if change != nil {
		change(&k)
	}
	client, err := NewKerberos(k)
	if err != nil {
		t.Fatal(err)
	}
	o := smbOptions(r.host)
	o.Authentication, o.RequireKerberos, o.Kerberos, o.SPN = WithKerberos, true, client, smbtest.Service
	return o
}

func (r *realm) withCache(arguments ...string) func(*KerberosOptions) {
	path := r.CCache(arguments...)
	return func(k *KerberosOptions) { k.Password, k.CCache = nil, "FILE:"+path }
}

// Every source of tickets logs on, at a host that takes nothing else, and the
// calls are protected by the ticket too.
func TestKerberos(t *testing.T) {
	t.Parallel()
	r := startRealm(t, "ntlm auth = disabled", "smb encrypt = required")
	service := r.CCache("-S", smbtest.Service) // kinit asks for it instead of a TGT
	folder := "DIR:" + filepath.Join(r.Dir, "caches")
	r.Kinit(folder)
	for name, change := range map[string]func(*KerberosOptions){
		"password":                 nil,
		"password, another realm":  func(k *KerberosOptions) { k.Realm = smbtest.Realm },
		"cache":                    r.withCache(),
		"cache of whoever":         func(k *KerberosOptions) { r.withCache()(k); k.User = "" },
		"cache with the service's": func(k *KerberosOptions) { k.Password, k.CCache = nil, service },
		"cache in a folder":        func(k *KerberosOptions) { k.Password, k.CCache = nil, folder },
		"keytab":                   func(k *KerberosOptions) { k.Password, k.Keytab = nil, r.UserKeytab() },
		"keytab of whoever":        func(k *KerberosOptions) { k.Password, k.Keytab, k.User = nil, r.UserKeytab(), "" },
		"clock ahead":              func(k *KerberosOptions) { k.Now = shifted(time.Hour) },
		"clock behind":             func(k *KerberosOptions) { k.Now = shifted(-time.Hour) },
		"clock ahead, cache": func(k *KerberosOptions) {
			r.withCache()(k)
			k.Now = shifted(time.Hour)
		},
	} {
		o := r.options(t, change)
		var heard strings.Builder
		o.Progress = func(step, detail string) { heard.WriteString(step + ": " + detail + "\n") }
		c, err := Dial(t.Context(), o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		readGlobal(t, c)
		if c.sec.oid() != krb.OID || !strings.Contains(heard.String(), "Kerberos as "+smbtest.User+"@"+smbtest.Realm) {
			t.Errorf("%s: logged on otherwise:\n%s", name, heard.String())
		}
		_ = c.Close()
	}
	checkFlippedCalls(t, r.options(t, nil))
}

func shifted(by time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Add(by) }
}

// A clock that is put right while perfdeck runs is noticed, at the realm and at
// the host.
func TestKerberosClockIsPutRight(t *testing.T) {
	t.Parallel()
	r := startRealm(t)
	var ahead atomic.Int64
	o := r.options(t, func(k *KerberosOptions) {
		k.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	for _, by := range []time.Duration{time.Hour, 0, -time.Hour, time.Second} {
		ahead.Store(int64(by))
		o.Kerberos.Forget(t.Context(), o.SPN)
		c, err := Dial(t.Context(), o)
		if err != nil {
			t.Errorf("%v ahead: %v", by, err)
			continue
		}
		readGlobal(t, c)
		_ = c.Close()
	}
}

// What refuses a ticket, or takes none, is named with what can be done.
func TestKerberosRefusals(t *testing.T) {
	t.Parallel()
	r := startRealm(t)
	r.Admin("addprinc -randkey cifs/other.perf.test") // known to the realm, not to the host
	r.Admin("addprinc -pw " + smbtest.Password + " -allow_tix locked")
	r.Admin(`addprinc -pw ` + smbtest.Password + ` -pwexpire "2001-01-01 UTC" expired`)
	r.Admin("addprinc -pw " + smbtest.Password + " -e des3-cbc-sha1:normal +requires_preauth other")
	r.Admin(`addprinc -pw ` + smbtest.Password + ` -expire "2001-01-01 UTC" gone`)
	for _, user := range []string{"stale", "+requires_preauth stalepreauth"} {
		r.Admin("addprinc -pw " + smbtest.Password + " " + user)
		user = user[strings.LastIndex(user, " ")+1:]
		r.Admin("ktadd -norandkey -k " + filepath.Join(r.Dir, user) + " " + user)
		r.Admin("cpw -pw another " + user)
	}
	keytabOf := func(user string) func(*KerberosOptions) {
		return func(k *KerberosOptions) { k.Password, k.Keytab, k.User = nil, filepath.Join(r.Dir, user), "" }
	}
	var ahead atomic.Int64
	for name, v := range map[string]struct {
		tickets func(*KerberosOptions)
		change  func(*Options)
		denied  bool
		code    Code
		hint    string
	}{
		"wrong password":             {func(k *KerberosOptions) { k.Password = smbtest.FixedPassword("wrong") }, nil, true, krbCode(24), "password"},
		"unknown user":               {func(k *KerberosOptions) { k.User = "nobody" }, nil, true, krbCode(6), "account"},
		"locked":                     {func(k *KerberosOptions) { k.User = "locked" }, nil, true, krbCode(18), "locked"},
		"expired":                    {func(k *KerberosOptions) { k.User = "expired" }, nil, true, krbCode(23), "expired"},
		"unknown name":               {nil, func(o *Options) { o.SPN = "cifs/nowhere.perf.test" }, false, krbCode(7), "--spn"},
		"another's name":             {nil, func(o *Options) { o.SPN = "cifs/other.perf.test" }, true, statusLogonFailure, "--spn"},
		"expired ticket":             {r.withCache("-l", "1s"), nil, false, 0, "kinit"},
		"no cache":                   {func(k *KerberosOptions) { k.CCache = filepath.Join(r.Dir, "none") }, nil, false, 0, "kinit"},
		"another's cache":            {func(k *KerberosOptions) { r.withCache()(k); k.User = "other" }, nil, false, 0, "kinit"},
		"no cache file":              {func(k *KerberosOptions) { k.CCache = "KCM:0" }, nil, false, 0, "kinit -c FILE:"},
		"no cache file either":       {func(k *KerberosOptions) { k.CCache = "KEYRING:persistent:0" }, nil, false, 0, "kinit -c FILE:"},
		"keys of another":            {func(k *KerberosOptions) { k.Keytab = r.Keytab() }, nil, false, 0, "klist -k"},
		"stale keytab":               {keytabOf("stale"), nil, true, 0, "new keytab"},
		"stale keytab, asked before": {keytabOf("stalepreauth"), nil, true, krbCode(24), "new keytab"},
		"account expired":            {func(k *KerberosOptions) { k.User = "gone" }, nil, true, krbCode(1), "account itself has expired"},
		"unknown realm":              {func(k *KerberosOptions) { k.Realm = "NO.SUCH.REALM.invalid" }, nil, false, 0, "krb5.conf"},
		"no realm":                   {func(k *KerberosOptions) { k.Config = "" }, nil, false, 0, "default_realm"},
		"no tickets":                 {nil, func(o *Options) { o.Kerberos = nil }, false, 0, "--kerberos"},
		"host's clock": {func(k *KerberosOptions) {
			k.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		}, clockMoves(&ahead), false, krbCode(37), "clock"},
	} {
		ahead.Store(0)
		o := r.options(t, v.tickets)
		if v.change != nil {
			v.change(&o)
		}
		c, err := Dial(t.Context(), o)
		if err == nil {
			_ = c.Close()
			t.Errorf("%s: taken", name)
			continue
		}
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Code != v.code || errors.Is(err, session.ErrDenied) != v.denied || !strings.Contains(e.Hint(), v.hint) || strings.Contains(err.Error(), "code 0x") {
			t.Errorf("%s: %v (code 0x%X, denied %v, hint %q)", name, err, uint32(e.Code), errors.Is(err, session.ErrDenied), e.Hint())
		}
	}
}

// clockMoves moves the clock of this side by an hour between the realm and the
// host.
func clockMoves(ahead *atomic.Int64) func(*Options) {
	return func(o *Options) {
		o.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			ahead.Store(int64(time.Hour))
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
	}
}

// A wrong password is tried once, and in one way.
func TestKerberosTriesAPasswordOnce(t *testing.T) {
	t.Parallel()
	r := startRealm(t)
	var asked, reached atomic.Int32
	o := r.options(t, func(k *KerberosOptions) {
		k.Password = func(context.Context) ([]byte, error) { asked.Add(1); return []byte("wrong"), nil }
	})
	o.RequireKerberos = false
	o.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		reached.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	if _, err := Dial(t.Context(), o); !errors.Is(err, session.ErrDenied) {
		t.Errorf("a wrong password: %v", err)
	}
	if asked.Load() != 1 || reached.Load() != 0 {
		t.Errorf("the password was asked for %d times, the host reached %d times", asked.Load(), reached.Load())
	}
}

// Where no ticket can be had for a reason that is not the account's, NTLM takes
// its place, unless Kerberos is required.
func TestKerberosOrNTLM(t *testing.T) {
	t.Parallel()
	r := startRealm(t)
	for name, v := range map[string]struct {
		tickets func(*KerberosOptions)
		spn     string
	}{
		"no KDC":       {func(k *KerberosOptions) { k.Realm = "NO.SUCH.REALM.invalid" }, smbtest.Service},
		"no realm":     {func(k *KerberosOptions) { k.Config = "" }, smbtest.Service},
		"unknown name": {nil, "cifs/10.1.2.3"},
	} {
		o := r.options(t, v.tickets)
		o.SPN, o.RequireKerberos = v.spn, false
		var heard strings.Builder
		o.Progress = func(step, detail string) { heard.WriteString(step + ": " + detail + "\n") }
		readGlobal(t, dialSMB(t, o))
		if !strings.Contains(heard.String(), "NTLMv2 as ") || !strings.Contains(heard.String(), "no ticket") {
			t.Errorf("%s: heard\n%s", name, heard.String())
		}
	}
}

// Tickets are asked for once, by however many hosts and reconnects.
func TestTicketsAreKept(t *testing.T) {
	t.Parallel()
	r := startRealm(t)
	var asked atomic.Int32
	o := r.options(t, func(k *KerberosOptions) {
		k.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			asked.Add(1)
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
	})
	done := make(chan error, 4)
	for range cap(done) {
		go func() {
			c, err := Dial(t.Context(), o)
			if err == nil {
				_ = c.Close()
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := asked.Load(); n != 3 { // the AS exchange twice, the TGS exchange
		t.Errorf("the KDC was asked %d times", n)
	}
}

// A KDC that freezes holds up nobody for longer than asked.
func TestFrozenKDC(t *testing.T) {
	t.Parallel()
	r := startRealm(t)
	o := r.options(t, nil)
	o.CallTimeout = 300 * time.Millisecond
	r.Freeze()
	began := time.Now()
	_, err := Dial(t.Context(), o)
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > heldUp {
		t.Errorf("%v after %v", err, took)
	}
	if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), "no domain controller answers of ") || !strings.Contains(e.Hint(), "port 88") {
		t.Errorf("%v, hint %q", err, e.Hint())
	}
}
