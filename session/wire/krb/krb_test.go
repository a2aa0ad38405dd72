package krb

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oiweiwei/gokrb5.fork/v9/crypto/etype"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/etypeID"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/patype"
	"github.com/oiweiwei/gokrb5.fork/v9/keytab"
	"github.com/oiweiwei/gokrb5.fork/v9/messages"
	"github.com/oiweiwei/gokrb5.fork/v9/types"

	"perfdeck/session/system/failure"
)

const conf = `# a comment
include %s
[libdefaults]
	default_realm = CORP.EXAMPLE
	permitted_enctypes = aes256-cts
[realms]
	CORP.EXAMPLE = {
		kdc = dc1.corp.example
		kdc = tcp/dc2.corp.example:1088
		kdc = [2001:db8::1]:89
		auth_to_local_names = {
			kdc = not-this-one
		}
	}
	EMPTY = { }
[domain_realm]
	.corp.example = CORP.EXAMPLE
	odd.corp.example = ODD
	Example.ORG = ORG
`

func TestConfig(t *testing.T) {
	dir := t.TempDir()
	more, path := filepath.Join(dir, "more.conf"), filepath.Join(dir, "krb5.conf")
	if err := os.WriteFile(more, []byte("[realms]\n MORE = {\n kdc = dc.more\n }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(conf, "%s", more, 1) + "includedir " + dir + "/none\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := loadConfig(path)
	if err != nil || c.DefaultRealm != "CORP.EXAMPLE" {
		t.Fatalf("%+v, %v", c, err)
	}
	for realm, want := range map[string]string{
		"CORP.EXAMPLE": "dc1.corp.example:88 dc2.corp.example:1088 [2001:db8::1]:89",
		"MORE":         "dc.more:88",
	} {
		if got := strings.Join(c.addresses(t.Context(), realm), " "); got != want {
			t.Errorf("%s: %s", realm, got)
		}
	}
	for host, want := range map[string]string{"srv1.corp.example": "CORP.EXAMPLE", "a.b.CORP.example.": "CORP.EXAMPLE",
		"odd.corp.example": "ODD", "example.org": "ORG", "www.example.org": "", "srv1": ""} {
		if got := c.realmOf(host); got != want {
			t.Errorf("%s is of %q", host, got)
		}
	}
	loop := filepath.Join(dir, "loop.conf")
	if err := os.WriteFile(loop, []byte("include "+loop+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := loadConfig(loop); err == nil {
		t.Error("a file that includes itself is read")
	}
	if _, err := New(Options{Config: filepath.Join(dir, "absent")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(conf))
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.Contains(b, []byte("include")) {
			return // files of this computer
		}
		c := &Config{kdcs: map[string][]string{}, domains: map[string]string{}}
		_ = c.parse(bytes.NewReader(b), 0)
		c.realmOf("srv1.corp.example")
	})
}

// cacheOf makes a credential cache of version 4 with one ticket.
func cacheOf(t testing.TB, client, server []string, end time.Time) []byte {
	t.Helper()
	text := func(b []byte, s string) []byte { return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...) }
	principal := func(b []byte, name []string) []byte {
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, 1), uint32(len(name)))
		b = text(b, "CORP")
		for _, part := range name {
			b = text(b, part)
		}
		return b
	}
	ticket := messages.Ticket{TktVNO: 5, Realm: "CORP", SName: types.PrincipalName{NameType: 2, NameString: server},
		EncPart: types.EncryptedData{EType: enctypes[0], Cipher: []byte("cipher")}}
	raw, err := ticket.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	b := []byte{5, 4, 0, 12, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0}
	b = principal(b, client)
	b = principal(principal(b, client), server)
	b = binary.BigEndian.AppendUint16(b, uint16(enctypes[0]))
	b = text(b, strings.Repeat("k", 32))
	b = append(b, make([]byte, 8)...)
	b = binary.BigEndian.AppendUint32(b, uint32(end.Unix()))
	b = append(b, make([]byte, 4+1+4)...)
	b = binary.BigEndian.AppendUint32(b, 1) // an address
	b = text(binary.BigEndian.AppendUint16(b, 2), "addr")
	b = binary.BigEndian.AppendUint32(b, 0)
	return text(text(b, string(raw)), "")
}

func TestCache(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	path := filepath.Join(t.TempDir(), "ccache")
	for name, v := range map[string]struct {
		user string
		end  time.Time
		spn  []string
		ok   bool
		is   error
	}{
		"TGT":     {"", now.Add(time.Hour), []string{"krbtgt", "CORP"}, true, nil},
		"account": {"ANA", now.Add(time.Hour), []string{"krbtgt", "CORP"}, true, nil},
		"another": {"bob", now.Add(time.Hour), []string{"krbtgt", "CORP"}, false, ErrNoTicket},
		"expired": {"ana", now.Add(time.Second), []string{"krbtgt", "CORP"}, false, ErrExpired},
		"service": {"ana", now.Add(time.Hour), []string{"cifs", "srv2"}, false, ErrNoTicket},
	} {
		if err := os.WriteFile(path, cacheOf(t, []string{"ana"}, v.spn, v.end), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := New(Options{CCache: "FILE:" + path, User: v.user, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		ticket, err := c.cachedTGT()
		if v.ok != (err == nil) || !errors.Is(err, v.is) {
			t.Errorf("%s: %v", name, err)
		}
		if v.ok && (ticket.Account() != "ana@CORP" || len(ticket.key.KeyValue) != 32) {
			t.Errorf("%s: %+v", name, ticket)
		}
	}
	folder := t.TempDir()
	one := cacheOf(t, []string{"ana"}, []string{"krbtgt", "CORP"}, now.Add(time.Hour))
	for _, name := range []string{"tkt", "tktAb"} {
		if err := os.WriteFile(filepath.Join(folder, name), one, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, primary := range map[string]string{
		"DIR:" + folder: "", "DIR:" + folder + "/": "tktAb\n", "DIR::" + filepath.Join(folder, "tktAb"): "tktNone",
		"DIR:" + folder + "//": "tktNone", "DIR:" + folder + "/.": "../x", "DIR:" + folder + "/./": "tktAb" + strings.Repeat(" ", 300) + "x", "KCM:": "", "KEYRING:persistent:0": "", "API:": "", "MEMORY:x": "",
	} {
		_ = os.Remove(filepath.Join(folder, "primary"))
		if primary != "" {
			if err := os.WriteFile(filepath.Join(folder, "primary"), []byte(primary), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := New(Options{CCache: name, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.cachedTGT()
		if isRead := strings.HasPrefix(name, "DIR:") && (primary == "" || primary == "tktAb\n" || strings.HasPrefix(name, "DIR::")); isRead != (err == nil) {
			t.Errorf("%s, %q is the one in use: %v", name, primary, err)
		}
		if hint := failure.Hint(err); !strings.HasPrefix(name, "DIR:") && !strings.Contains(hint, "kinit -c FILE:") {
			t.Errorf("%s: %v, hint %q", name, err, hint)
		}
	}
	whole := cacheOf(t, []string{"ana"}, []string{"cifs", "srv1"}, now)
	for n := range len(whole) {
		if entries, err := parseCache(whole[:n]); err == nil && len(entries) > 0 {
			t.Errorf("%d of %d bytes are read", n, len(whole))
		}
	}
}

func FuzzCache(f *testing.F) {
	f.Add(cacheOf(f, []string{"ana"}, []string{"krbtgt", "CORP"}, time.Unix(1e9, 0)))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := parseCache(b)
		if err == nil && len(entries) > len(b)/30 {
			t.Fatalf("%d tickets in %d bytes", len(entries), len(b))
		}
		c := &Client{o: Options{Now: time.Now}}
		_, _ = c.pick(entries, nil)
	})
}

// FuzzKeytab hands anything for a keytab. What is said of a damaged one does not hold
// what is in it.
func FuzzKeytab(f *testing.F) {
	kt := keytab.New()
	if err := kt.AddEntry("ana", "CORP", "secret", time.Unix(1e9, 0), 1, etypeID.AES256_CTS_HMAC_SHA1_96); err != nil {
		f.Fatal(err)
	}
	whole, err := kt.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-4])
	f.Add([]byte("\x05\x02\x7f\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := parseKeytab(b)
		if err != nil && !errors.Is(err, errKeytab) && !errors.Is(err, errNoKeys) {
			t.Fatal(err)
		}
	})
}

// answers is a KDC that answers each request by the next of these.
func answers(t testing.TB, replies ...[]byte) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		if len(replies) == 0 {
			return nil, errors.New("asked too often")
		}
		reply := replies[0]
		replies = replies[1:]
		client, host := net.Pipe()
		go func() {
			defer host.Close()
			var length [4]byte
			if _, err := host.Read(length[:]); err != nil {
				return
			}
			for n := int(binary.BigEndian.Uint32(length[:])); n > 0; {
				got, err := host.Read(make([]byte, n))
				if err != nil {
					return
				}
				n -= got
			}
			_, _ = host.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(reply))), reply...))
		}()
		t.Cleanup(func() { _ = client.Close() })
		return client, nil
	}
}

// preauth is the answer of a KDC that wants pre-authentication with a key of
// the kind, made by so many iterations.
func preauth(t testing.TB, kind int32, iterations uint32) []byte {
	t.Helper()
	return preauthAt(t, kind, iterations, time.Now())
}

// preauthAt is the same by a clock of its own.
func preauthAt(t testing.TB, kind int32, iterations uint32, now time.Time) []byte {
	t.Helper()
	info, err := marshalInfo(kind, iterations)
	if err != nil {
		t.Fatal(err)
	}
	pa, err := marshalPA(types.PADataSequence{{PADataType: patype.PA_ETYPE_INFO2, PADataValue: info}})
	if err != nil {
		t.Fatal(err)
	}
	e := messages.NewKRBError(types.PrincipalName{NameType: 2, NameString: []string{"krbtgt", "CORP"}}, "CORP", codePreauthRequired, "")
	e.EData, e.STime = pa, now.UTC()
	b, err := e.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func clientOf(t testing.TB, dial func(context.Context, string, string) (net.Conn, error)) *Client {
	t.Helper()
	c, err := New(Options{User: "ana", Realm: "CORP", Dial: dial,
		Password: func(context.Context) ([]byte, error) { return []byte("password"), nil }})
	if err != nil {
		t.Fatal(err)
	}
	c.conf.kdcs["CORP"] = []string{"dc1"} // no DNS
	return c
}

// A KDC, or who speaks for it, cannot make us work or wait for long.
func TestHostileKDC(t *testing.T) {
	for name, reply := range map[string][]byte{
		"endless work":  preauth(t, etypeID.AES256_CTS_HMAC_SHA1_96, 1<<31),
		"no work":       preauth(t, etypeID.AES256_CTS_HMAC_SHA1_96, 0),
		"only RC4":      preauth(t, etypeID.RC4_HMAC, 4096),
		"nonsense":      []byte("nonsense"),
		"a cut refusal": preauth(t, etypeID.AES256_CTS_HMAC_SHA1_96, 4096)[:40],
	} {
		c := clientOf(t, answers(t, reply))
		c.stringToKey = func(etype.EType, string, string, string) ([]byte, error) {
			t.Errorf("%s: it is worked on", name)
			return nil, errors.New("no key")
		}
		if _, err := c.Ticket(t.Context(), "cifs/srv1"); err == nil {
			t.Errorf("%s: a ticket", name)
		}
	}
	c := clientOf(t, func(context.Context, string, string) (net.Conn, error) {
		client, host := net.Pipe()
		t.Cleanup(func() { _ = host.Close() })
		return client, nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.Ticket(ctx, "cifs/srv1"); !errors.Is(err, ErrUnreachable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a silent KDC: %v", err)
	}
}

// Who speaks for a realm does not get a password's key that costs nothing to
// try, and nothing at all is sent then.
func TestWeakKeys(t *testing.T) {
	asked := 0
	for _, v := range []struct {
		iterations, least uint32
		weak              bool
	}{{1, 0, true}, {4095, 0, true}, {4096, 0, false}, {4096, 10000, true}, {100, 100, false}} {
		c := clientOf(t, answers(t, preauth(t, enctypes[0], v.iterations), []byte("nonsense")))
		c.o.MinIterations = cmp.Or(v.least, c.o.MinIterations)
		c.stringToKey = func(etype.EType, string, string, string) ([]byte, error) {
			asked++
			return bytes.Repeat([]byte{1}, 32), nil
		}
		before := asked
		_, err := c.Ticket(t.Context(), "cifs/srv1")
		if errors.Is(err, ErrWeakKey) != v.weak || (asked > before) == v.weak {
			t.Errorf("%d of at least %d: %v, %d keys made", v.iterations, v.least, err, asked-before)
		}
	}
	c := clientOf(t, nil)
	for _, params := range [][]byte{{0}, {0, 0, 16}, {0, 0, 16, 0, 0}} {
		if err := c.checkWork(params); err == nil {
			t.Errorf("parameters %x are taken", params)
		}
	}
}

// A KRB-ERROR, which anybody can send, moves the clock for one request only and
// not at all if it is far off.
func TestClockOfStrangers(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, ahead := range []time.Duration{time.Hour, 365 * 24 * time.Hour, -365 * 24 * time.Hour} {
		c := clientOf(t, answers(t, preauthAt(t, enctypes[0], 4096, now.Add(ahead)), preauth(t, enctypes[0], 4096)))
		c.o.Now = func() time.Time { return now }
		if _, err := c.Ticket(t.Context(), "cifs/srv1"); err == nil {
			t.Fatal("a ticket without the key")
		}
		want := ahead
		if ahead.Abs() > maxSkew {
			want = 0
		}
		if c.trial != want || c.Skew() != 0 {
			t.Errorf("%v ahead: tried with %v, kept %v", ahead, c.trial, c.Skew())
		}
	}
}

// FuzzKDC hands a client anything for a KDC's answers. Keys cost nothing in it:
// otherwise one that asks for many iterations takes a second.
func FuzzKDC(f *testing.F) {
	f.Add(preauth(f, etypeID.AES256_CTS_HMAC_SHA1_96, 4096), []byte{0x6b, 0x03, 0x30, 0x01, 0})
	f.Add([]byte{0x6b, 0x82, 1, 0}, []byte{})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		if len(first) == 0 || len(second) == 0 {
			return
		}
		c := clientOf(t, answers(t, first, second))
		c.stringToKey = func(et etype.EType, _, _, _ string) ([]byte, error) {
			return make([]byte, et.GetKeyByteSize()), nil
		}
		if _, err := c.Ticket(t.Context(), "cifs/srv1"); err == nil {
			t.Fatal("a ticket without the key")
		}
	})
}

// FuzzContext hands a context anything for the host's part of a log-on.
func FuzzContext(f *testing.F) {
	f.Add([]byte{0x6f, 0x03, 0x30, 0x01, 0}, true)
	for kind, message := range map[uint16][]byte{tokenAPRep: {0x6f, 0x03, 0x30, 0x01, 0}, tokenError: {0x7e, 0x03, 0x30, 0x01, 0}} {
		framed, err := frame(kind, message)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(framed, false)
	}
	f.Fuzz(func(t *testing.T, b []byte, dce bool) {
		c := ticketFor(time.Now).Initiate(dce)
		if _, done, err := c.Step(nil); err != nil || done {
			t.Fatal(done, err)
		}
		if _, done, err := c.Step(b); err == nil || done {
			t.Fatal("a host without the key is taken")
		}
	})
}
