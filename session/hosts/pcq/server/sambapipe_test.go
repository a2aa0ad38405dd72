package server

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// handOver is what smbd of Samba 4.17 said of a client.
func handOver(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "samba-4.17-handover.bin"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ofLevel is a hand-over of another version of Samba.
func ofLevel(b []byte, level uint32) []byte {
	b = bytes.Clone(b)
	binary.LittleEndian.PutUint32(b[8:], level)
	binary.LittleEndian.PutUint32(b[12:], level)
	return b
}

// spoken is a peer that has said all it will say.
type spoken struct {
	io.Reader
	heard bytes.Buffer
}

func (s *spoken) Write(p []byte) (int, error) { return s.heard.Write(p) }

func TestHandOver(t *testing.T) {
	whole := handOver(t)
	long := binary.BigEndian.AppendUint32(nil, 100_000)
	long = append(append(long, whole[4:]...), make([]byte, 100_000-len(whole)+4)...)
	for what, c := range map[string]struct {
		said   []byte
		client string
		err    error
		status uint32 // of the answer; 1: there is none
	}{
		"Samba 4.17":      {whole, "127.0.0.1:48236", nil, 0},
		"many groups":     {long, "127.0.0.1:48236", nil, 0},
		"older":           {ofLevel(whole, 5), "", ErrSambaLevel, statusNotSupported},
		"newer":           {ofLevel(whole, 8), "", ErrSambaLevel, statusNotSupported},
		"cut off":         {whole[:100], "", errHandOver, 1},
		"something else":  {[]byte("\x00\x00\x00\x08GET / HT"), "", errHandOver, 1},
		"far too long":    {[]byte("\xff\xff\xff\xffNPAM"), "", errHandOver, 1},
		"no address":      {append([]byte{0, 0, 0, 0x30}, whole[4:0x34]...), "", errHandOver, statusNotSupported},
		"nothing, closed": {nil, "", io.EOF, 1},
	} {
		s := &spoken{Reader: bytes.NewReader(c.said)}
		client, err := receiveHandOver(s)
		if !errors.Is(err, c.err) || err == nil && client.String() != c.client {
			t.Errorf("%s: %v, %v", what, client, err)
		}
		if n := s.heard.Len(); (n > 0) != (c.status != 1) {
			t.Errorf("%s: an answer of %d bytes", what, n)
		} else if n > 0 {
			b := s.heard.Bytes()
			if n != 36 || binary.BigEndian.Uint32(b) != 32 || binary.LittleEndian.Uint32(b[8:]) != binary.LittleEndian.Uint32(c.said[8:]) || binary.LittleEndian.Uint32(b[32:]) != c.status {
				t.Errorf("%s: answer %x", what, b)
			}
		}
	}
}

func FuzzHandOver(f *testing.F) {
	whole := handOver(f)
	f.Add(whole[4:])
	f.Add(ofLevel(whole, 6)[4:])
	f.Add(whole[4:60])
	f.Fuzz(func(t *testing.T, b []byte) {
		level, client, err := parseHandOver(b)
		if (client != nil) != (err == nil) || client != nil && (level != sambaLevel || client.IP == nil) {
			t.Fatalf("level %d, %v, %v", level, client, err)
		}
	})
}

// FuzzSambaMessages cuts a stream of messages anywhere: what is read is what is
// in them.
func FuzzSambaMessages(f *testing.F) {
	f.Add([]byte("\x03\x00abc\x00\x00\x01\x00d"), 2)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		server, client := net.Pipe()
		c := &sambaConn{Conn: server, taken: true}
		go func() { _, _ = client.Write(b); client.Close() }()
		var got []byte
		p := make([]byte, 1+uint(size)%64)
		for {
			n, err := c.Read(p)
			got = append(got, p[:n]...)
			if err != nil {
				break
			}
		}
		var want []byte
		for len(b) >= 2 {
			n := min(int(binary.LittleEndian.Uint16(b)), len(b)-2)
			want, b = append(want, b[2:2+n]...), b[2+n:]
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%x, want %x", got, want)
		}
	})
}

// Each PDU is a message of its own, however many are written at once.
func TestMessages(t *testing.T) {
	pdu := func(n int) []byte {
		b := make([]byte, n)
		binary.LittleEndian.PutUint16(b[8:], uint16(n))
		return b
	}
	server, client := net.Pipe()
	c := &sambaConn{Conn: server, taken: true}
	go func() {
		defer server.Close()
		if n, err := c.Write(append(pdu(20), pdu(65528)...)); n != 65548 || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
	}()
	got, err := io.ReadAll(client)
	if err != nil || len(got) != 65552 || binary.LittleEndian.Uint16(got) != 20 || binary.LittleEndian.Uint16(got[22:]) != 65528 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// A socket of an earlier run is replaced, one that is served is not, nor is a
// file.
func TestSambaSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "np") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "winreg")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skipf("no sockets: %v", err)
	}
	if _, err := ListenSambaPipe(path); !errors.Is(err, ErrPipeTaken) {
		t.Errorf("one that is served: %v", err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	again, err := ListenSambaPipe(path)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenSambaPipe(path); err == nil {
		t.Error("a file is replaced")
	}
}

// Behind stock smbd: a client that speaks SMB reads our counters.
func TestBehindSamba(t *testing.T) {
	s := smbtest.Start(t, smbtest.Options{Global: []string{"rpc start on demand helpers = no"}})
	dir := filepath.Join(s.Dir, "ncalrpc", "np")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	pipe, err := ListenSambaPipe(filepath.Join(dir, "winreg"))
	if err != nil {
		t.Fatal(err)
	}
	accounts := Accounts{}
	if err := accounts.Add(smbtest.User, []byte(smbtest.Password)); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var reports []string
	report := func(peer net.Addr, err error) {
		mu.Lock()
		defer mu.Unlock()
		reports = append(reports, peer.String()+" "+err.Error())
	}
	port, stop := serve(t, newTable(), func(o *Options) { o.Pipe, o.Accounts = pipe, accounts })
	options := rpc.Options{
		Address: rpc.Address{Host: s.Host, Port: s.Port, Connect: rpc.SMB},
		Account: rpc.Account{User: smbtest.User, Domain: smbtest.Workgroup, Password: smbtest.FixedPassword(smbtest.Password)},
		Calls:   rpc.Calls{CallTimeout: 10 * time.Second},
	}
	c, err := rpc.Dial(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	direct, err := rpc.Dial(t.Context(), rpc.Options{Address: rpc.Address{Host: "127.0.0.1", Port: port}, Account: rpc.Account{User: smbtest.User, Password: smbtest.FixedPassword(smbtest.Password)}, Calls: rpc.Calls{CallTimeout: 10 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	for _, client := range []*rpc.Client{c, direct} {
		list, err := client.EnumerateCounterSet(t.Context(), 256)
		if err != nil || list.Code != rpc.CodeOK || len(list.Data) != 2*16 {
			t.Errorf("countersets: %+v, %v", list, err)
		}
	}
	options.Password = smbtest.FixedPassword("wrong") // Samba refuses it first
	if c, err := rpc.Dial(t.Context(), options); err == nil {
		c.Close()
		t.Error("a wrong password is taken")
	}
	c.Close()
	direct.Close()
	stop()
	// Samba takes the password, the server has another one.
	if pipe, err = ListenSambaPipe(filepath.Join(dir, "winreg")); err != nil {
		t.Fatal(err)
	}
	_, stop = serve(t, newTable(), func(o *Options) { o.Pipe, o.Report = pipe, report })
	options.Password = smbtest.FixedPassword(smbtest.Password)
	if c, err := rpc.Dial(t.Context(), options); err == nil {
		_, err = c.EnumerateCounterSet(t.Context(), 256)
		c.Close()
		if err == nil {
			t.Error("an account that the server does not have is taken")
		}
	}
	stop()
	mu.Lock()
	defer mu.Unlock()
	if len(reports) == 0 || !strings.HasPrefix(reports[0], "127.0.0.1:") {
		t.Errorf("reports %q: they name the client of smbd", reports)
	}
}
