package rpc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"math"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/smb"
	"perfdeck/session/wire/smbtest"
)

// someData are two objects, one of them with instances.
var someData = smbtest.Performance{
	PerfTime: 123456789, PerfFreqHz: 10_000_000, Time: time.Unix(1_700_000_000, 0),
	Objects: []smbtest.Object{
		{Name: "Memory", Help: "about memory", Counters: []smbtest.Counter{
			{Name: "Available Bytes", Help: "free", Type: 0x00010100, Values: []uint64{4 << 30}},
			{Name: "Page Faults/sec", Help: "faults", Type: 0x10410400, Values: []uint64{123456}},
		}},
		{Name: "Processor", Help: "about processors", Instances: []string{"0", "1", "_Total"},
			Counters: []smbtest.Counter{
				{Name: "% Processor Time", Help: "busy", Type: 0x20510500, Values: []uint64{10, 20, 30}},
				{Name: "Interrupts/sec", Help: "interrupts", Type: 0x10410400, Values: []uint64{1, 2, 3}},
			}},
	},
}

func startSMB(t testing.TB, global ...string) *smbtest.Server {
	return smbtest.Start(t, smbtest.Options{Global: global, Performance: &someData})
}

func smbOptions(s *smbtest.Server) Options {
	return Options{
		Address: Address{Host: s.Host, Port: s.Port, Connect: SMB},
		Account: Account{User: smbtest.User, Domain: smbtest.Workgroup, Password: smbtest.FixedPassword(smbtest.Password)},
		Calls:   Calls{CallTimeout: 20 * time.Second, Interfaces: []Interface{MSPCQ, MSRRP}},
	}
}

func dialSMB(t testing.TB, o Options) *Client {
	t.Helper()
	c, err := Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// readGlobal reads all performance data and looks at their signature.
func readGlobal(t testing.TB, c *Client) []byte {
	t.Helper()
	key, code, err := c.OpenPerformanceData(t.Context())
	if err != nil || code != CodeOK {
		t.Fatalf("open: %v, %v", code, err)
	}
	v, err := c.QueryValue(t.Context(), key, "Global", 1<<16, nil)
	if err != nil || v.Code != CodeOK || !bytes.HasPrefix(v.Data, []byte("P\x00E\x00R\x00F\x00")) {
		t.Fatalf("query: %v, %v, %d bytes", v.Code, err, len(v.Data))
	}
	if _, code, err := c.CloseKey(t.Context(), key); err != nil || code != CodeOK {
		t.Fatalf("close: %v, %v", code, err)
	}
	return v.Data
}

// Hosts with the settings of today are read, with what protects them.
func TestSMBServers(t *testing.T) {
	for name, v := range map[string]struct {
		global  []string
		encrypt bool
		want    string // in the progress
	}{
		"stock":                {nil, false, "SMB 3.1.1, signing AES-CMAC"},
		"signing mandatory":    {[]string{"server signing = mandatory"}, false, "(the host requires it)"},
		"encryption required":  {[]string{"smb encrypt = required"}, false, "encrypted with AES-128-GCM"},
		"encryption asked for": {nil, true, "encrypted with AES-128-GCM"},
		"AES-256-GCM":          {[]string{"smb encrypt = required", "server smb3 encryption algorithms = AES-256-GCM"}, false, "encrypted with AES-256-GCM"},
		"AES-128-CCM":          {[]string{"smb encrypt = required", "server smb3 encryption algorithms = AES-128-CCM"}, false, "encrypted with AES-128-CCM"},
		"AES-256-CCM":          {[]string{"smb encrypt = required", "server smb3 encryption algorithms = AES-256-CCM"}, false, "encrypted with AES-256-CCM"},
		"SMB 3.1.1 only":       {[]string{"server min protocol = SMB3_11"}, false, "SMB 3.1.1"},
		"SMB 3.0.2":            {[]string{"server max protocol = SMB3_02"}, false, "SMB 3.0.2, signing AES-CMAC"},
		"SMB 3.0 encrypted":    {[]string{"server max protocol = SMB3_00"}, true, "encrypted with AES-128-CCM"},
		"SMB 2.1":              {[]string{"server max protocol = SMB2_10"}, false, "SMB 2.1, signing HMAC-SHA256"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSMB(t, v.global...)
			o := smbOptions(s)
			o.Encrypt = v.encrypt
			var heard strings.Builder
			o.Progress = func(step, detail string) { heard.WriteString(step + ": " + detail + "\n") }
			c := dialSMB(t, o)
			if c.Serves(MSPCQ) || !c.Serves(MSRRP) {
				t.Errorf("it serves MS-PCQ %v, MS-RRP %v", c.Serves(MSPCQ), c.Serves(MSRRP))
			}
			if _, err := c.EnumerateCounterSet(t.Context(), 1); !errors.Is(err, ErrNotServed) || c.Err() != nil {
				t.Errorf("a call of the other interface: %v, %v", err, c.Err())
			}
			readGlobal(t, c)
			if !strings.Contains(heard.String(), v.want) {
				t.Errorf("heard:\n%swant %s", heard.String(), v.want)
			}
		})
	}
}

// What refuses a log-on is named, with what can be done.
func TestSMBRefusals(t *testing.T) {
	t.Parallel()
	stock, old := startSMB(t), startSMB(t, "server max protocol = SMB2_10")
	other := startServer(t, nil)
	for name, v := range map[string]struct {
		server *smbtest.Server
		change func(o *Options)
		is     error
		denied bool
		code   Code
		hint   string
	}{
		"wrong password":       {stock, func(o *Options) { o.Password = smbtest.FixedPassword("wrong") }, nil, true, statusLogonFailure, "password"},
		"unknown user":         {stock, func(o *Options) { o.User = "nobody else" }, nil, true, statusLogonFailure, "password"},
		"NTLM disabled":        {startSMB(t, "ntlm auth = disabled"), nil, nil, true, 0xC0000418, "--kerberos"},
		"taken for a guest":    {startSMB(t, "map to guest = bad user"), func(o *Options) { o.User = "stranger" }, smb.ErrGuest, true, 0, "guests"},
		"guest for a password": {startSMB(t, "map to guest = bad password"), func(o *Options) { o.Password = smbtest.FixedPassword("wrong") }, smb.ErrGuest, true, 0, "guests"},
		"no encryption":        {old, func(o *Options) { o.Encrypt = true }, smb.ErrNoEncryption, false, 0, "encryption"},
		"no pipe":              {startSMB(t, "rpc start on demand helpers = no"), func(o *Options) { o.pipeWait = time.Second / 4 }, nil, false, statusNameNotFound, "Remote Registry"},
		"port closed":          {stock, func(o *Options) { o.Port = smbtest.FreePort(t) }, nil, false, 0, "nothing listens"},
		"no such host":         {stock, func(o *Options) { o.Host = "no-such-host.invalid" }, nil, false, 0, "name"},
		"not SMB":              {stock, func(o *Options) { o.Port = other.addr.Port }, smb.ErrNotSMB, false, 0, "tcp://"},
		"SMB 2.0.2":            {startSMB(t, "server min protocol = SMB2_02", "server max protocol = SMB2_02"), nil, smb.ErrDialect, false, 0, "2.1"},
		"tcp:// at SMB":        {stock, func(o *Options) { o.Connect, o.CallTimeout = TCP, 2*time.Second }, errSMBThere, false, 0, "without tcp://"},
		"Kerberos required":    {stock, func(o *Options) { o.RequireKerberos = true }, errNotKerberos, false, 0, "--kerberos"},
	} {
		o := smbOptions(v.server)
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
		if !ok || e.Code != v.code || v.is != nil && !errors.Is(err, v.is) || errors.Is(err, session.ErrDenied) != v.denied || !strings.Contains(e.Hint(), v.hint) {
			t.Errorf("%s: %v (code 0x%X, denied %v, hint %q)", name, err, uint32(e.Code), errors.Is(err, session.ErrDenied), e.Hint())
		}
		if strings.Contains(err.Error(), smbtest.Password) {
			t.Errorf("%s: the error holds the password", name)
		}
	}
}

// heardConn keeps what is written to a host.
type heardConn struct {
	net.Conn
	to *bytes.Buffer
}

func (c heardConn) Write(b []byte) (int, error) {
	c.to.Write(b)
	return c.Conn.Write(b)
}

// Nothing of LM or of NTLMv1 leaves this computer, in any of the log-ons.
func TestOnlyNTLMv2IsSent(t *testing.T) {
	t.Parallel()
	s := startSMB(t)
	o := smbOptions(s)
	var sent bytes.Buffer
	o.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return heardConn{nc, &sent}, err
	}
	readGlobal(t, dialSMB(t, o))
	mark, seen := []byte(ntlmSignature+"\x03\x00\x00\x00"), 0
	for rest := sent.Bytes(); ; seen++ {
		_, after, ok := bytes.Cut(rest, mark)
		if !ok {
			break
		}
		message := append(slices.Clone(mark), after...)
		lm, at := binary.LittleEndian.Uint16(message[12:]), binary.LittleEndian.Uint32(message[16:])
		nt := binary.LittleEndian.Uint16(message[20:])
		if !isNTLMv2(message) || nt < 44 || bytes.ContainsFunc(message[at:at+uint32(lm)], func(r rune) bool { return r != 0 }) {
			t.Errorf("a message with %d bytes of LM and %d of NT", lm, nt)
		}
		rest = after
	}
	if seen != 2 {
		t.Errorf("%d log-ons were seen, of the pipe and of the calls", seen)
	}
	if isNTLMv2(nil) || isNTLMv2(mark) {
		t.Error("no message is taken for NTLMv2")
	}
}

// heldUp is as long as nobody is held up who asked for less: the default is 30 s, and
// the machine may be slow.
const heldUp = 20 * time.Second

// A host that freezes at any moment holds up nobody for longer than asked.
func TestFrozenSMB(t *testing.T) {
	t.Parallel()
	s := startSMB(t)
	o := smbOptions(s)
	o.CallTimeout = 300 * time.Millisecond
	quick := func(what string, do func() error, hint string) {
		t.Helper()
		began := time.Now()
		err := do()
		if took := time.Since(began); err == nil || took > heldUp {
			t.Errorf("%s: %v after %v", what, err, took)
		}
		if e, ok := errors.AsType[*Error](err); ok && !strings.Contains(e.Hint(), hint) {
			t.Errorf("%s: %v, hint %q", what, err, e.Hint())
		}
	}
	long := smbOptions(s)
	c, second := dialSMB(t, long), dialSMB(t, long)
	readGlobal(t, c)
	s.Freeze()
	defer s.Thaw()
	quick("dial", func() error { _, err := Dial(t.Context(), o); return err }, "firewall")
	quick("call", func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, _, err := c.OpenPerformanceData(ctx)
		return err
	}, "hangs")
	if c.Err() == nil {
		t.Error("the connection is kept")
	}
	quick("call of a closed one", func() error {
		time.AfterFunc(50*time.Millisecond, func() { _ = second.Close() })
		_, _, err := second.OpenPerformanceData(t.Context())
		return err
	}, "")
}

// Each message of a log-on may be the one that does not come.
func TestSMBThatFallsSilent(t *testing.T) {
	t.Parallel()
	s := startSMB(t)
	o := smbOptions(s)
	silent := new(silentConn)
	left := math.MaxInt32
	o.dial = func(ctx context.Context, network, address string) (_ net.Conn, err error) {
		silent = new(silentConn)
		silent.left.Store(int32(left))
		silent.Conn, err = (&net.Dialer{}).DialContext(ctx, network, address)
		return silent, err
	}
	_ = dialSMB(t, o).Close()
	messages := math.MaxInt32 - int(silent.left.Load())
	o.CallTimeout = 200 * time.Millisecond
	for n := range messages {
		left = n
		began := time.Now()
		c, err := Dial(t.Context(), o)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > heldUp {
			t.Errorf("silent after %d of %d messages: %v after %v", n, messages, err, took)
		}
		if err == nil {
			_ = c.Close()
		}
	}
}

// silentConn swallows all writes after the first few.
type silentConn struct {
	net.Conn

	left atomic.Int32
}

func (c *silentConn) Write(b []byte) (int, error) {
	if c.left.Add(-1) < 0 {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// A host that restarts is reached again by a new Dial.
func TestRestartedSMB(t *testing.T) {
	t.Parallel()
	s := startSMB(t)
	o := smbOptions(s)
	c := dialSMB(t, o)
	readGlobal(t, c)
	s.Stop()
	if _, _, err := c.OpenPerformanceData(t.Context()); err == nil || c.Err() == nil {
		t.Errorf("a call to a host that is gone: %v, %v", err, c.Err())
	}
	if _, err := Dial(t.Context(), o); err == nil {
		t.Error("a host that is gone was reached")
	}
	s.Run()
	readGlobal(t, dialSMB(t, o))
}

// manyReconnects makes TestSMBReconnects the long one.
var manyReconnects = flag.Bool("many", false, "reconnect 1,000 times over SMB")

// Connections leave nothing behind, however many.
func TestSMBReconnects(t *testing.T) {
	n := 50
	if testing.Short() {
		n = 20
	}
	if *manyReconnects {
		n = 1000
	}
	s := startSMB(t)
	o := smbOptions(s)
	readGlobal(t, dialSMB(t, o))
	goroutines, descriptors := runtime.NumGoroutine(), countDescriptors()
	for range n {
		c, err := Dial(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, code, err := c.OpenPerformanceData(t.Context()); err != nil || code != CodeOK {
			t.Fatal(code, err)
		}
		_ = c.Close()
	}
	sharedtest.Until(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= goroutines })
	if now := countDescriptors(); now > descriptors {
		t.Errorf("%d descriptors became %d", descriptors, now)
	}
}

// Reads that were asked for and find nothing, after an alloc_hint that was too large,
// do not keep the next call from being sent.
func TestSurplusReads(t *testing.T) {
	t.Parallel()
	c := dialSMB(t, smbOptions(startSMB(t)))
	for range 3 {
		readGlobal(t, c)
		if err := c.nc.(*smb.Pipe).Expect(3); err != nil {
			t.Fatal(err)
		}
	}
	readGlobal(t, c)
}
