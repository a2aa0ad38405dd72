package rpc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"perfdeck/session/wire/smb"
	"perfdeck/session/wire/smbtest"
)

// logFolder is a folder as a share has one, with a file of a few megabytes.
func logFolder(t testing.TB, size int) (folder string, sum [32]byte) {
	t.Helper()
	folder, err := os.MkdirTemp("", "logs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(data)
	run := filepath.Join(folder, "EL4", "HOST_1")
	for _, err := range []error{
		os.Chmod(folder, 0o755),
		os.MkdirAll(run, 0o755),
		os.WriteFile(filepath.Join(run, "DataCollector01.blg"), data, 0o644),
		os.WriteFile(filepath.Join(run, "empty.csv"), nil, 0o644),
		os.Symlink("/etc/passwd", filepath.Join(run, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder, sha256.Sum256(data)
}

// files opens a share.
func files(t testing.TB, o Options, share string) *smb.Share {
	t.Helper()
	s, err := Files(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	f, err := s.Share(t.Context(), share)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const someLog = `EL4\HOST_1\DataCollector01.blg`

// Files of a share are listed and read, from any offset on, whatever the dialect and however
// it is protected.
func TestFiles(t *testing.T) {
	t.Parallel()
	const size = 5<<20 + 12345
	folder, sum := logFolder(t, size)
	kdc := smbtest.StartKDC(t)
	for _, global := range [][]string{
		{"server max protocol = SMB2_10"},
		{"server max protocol = SMB2_10", "smb2 max read = 65536"},
		{"server max protocol = SMB3_00"},
		{"server max protocol = SMB3_02"},
		nil,
		{"smb encrypt = required", "server smb3 encryption algorithms = AES-256-CCM"},
	} {
		o := kdc.Options()
		o.Global = append(o.Global, global...)
		o.Shares = map[string]string{"perflogs": folder}
		s := smbtest.Start(t, o)
		r := &realm{kdc, s}
		sealed := smbOptions(s)
		sealed.Encrypt = true
		for name, o := range map[string]Options{"NTLM": smbOptions(s), "Kerberos": r.options(t, nil), "sealed": sealed} {
			if o.Encrypt && slices.Contains(global, "server max protocol = SMB2_10") {
				continue
			}
			name = fmt.Sprint(name, global)
			share := files(t, o, "perflogs")
			list, err := share.List(t.Context(), `EL4\HOST_1`, 10)
			if err != nil || len(list) < 2 {
				t.Fatalf("%s: %v, %v", name, list, err)
			}
			i := slices.IndexFunc(list, func(e smb.Entry) bool { return e.Name == "DataCollector01.blg" })
			if i < 0 || list[i].Size != size || list[i].Folder || time.Since(list[i].Written) > time.Hour {
				t.Errorf("%s: %+v", name, list)
			}
			f, err := share.Open(t.Context(), someLog)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var got bytes.Buffer
			if n, err := f.Copy(t.Context(), &got, 0); err != nil || n != size || sha256.Sum256(got.Bytes()) != sum {
				t.Errorf("%s: %d bytes, %v", name, n, err)
			}
			var rest bytes.Buffer
			if n, err := f.Copy(t.Context(), &rest, 3<<20+1); err != nil || n != size-3<<20-1 || !bytes.Equal(rest.Bytes(), got.Bytes()[3<<20+1:]) {
				t.Errorf("%s: %d bytes of the rest, %v", name, n, err)
			}
			_ = f.Close()
			if e, err := share.Open(t.Context(), `EL4\HOST_1\empty.csv`); err != nil || e.Size != 0 {
				t.Errorf("%s: an empty file: %v", name, err)
			} else if n, err := e.Copy(t.Context(), &rest, 0); n != 0 || err != nil {
				t.Errorf("%s: an empty file: %d bytes, %v", name, n, err)
			}
		}
	}
}

// What is not there, no file, or too much is told.
func TestFilesThatAreNot(t *testing.T) {
	t.Parallel()
	folder, _ := logFolder(t, 1)
	s := smbtest.Start(t, smbtest.Options{Shares: map[string]string{"perflogs": folder}})
	share := files(t, smbOptions(s), "perflogs")
	if _, err := share.List(t.Context(), `EL4\HOST_1`, 1); !errors.Is(err, smb.ErrManyEntries) {
		t.Errorf("a long folder: %v", err)
	}
	for _, name := range []string{`EL4\none`, `EL4`, `EL4\HOST_1\link`} {
		if _, err := share.Open(t.Context(), name); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
	o := smbOptions(s)
	session, err := Files(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	_, err = session.Share(t.Context(), "none")
	if e := session.Failure(t.Context(), "", err); e.Code != 0xC00000CC {
		t.Errorf("another share: %v", e)
	}
	if _, err := session.Share(t.Context(), "perflogs"); err != nil {
		t.Errorf("after it: %v", err)
	}
	o.Password = smbtest.FixedPassword("wrong")
	if _, err := Files(t.Context(), o); !IsWrongPassword(err) {
		t.Errorf("a wrong password: %v", err)
	}
}

// setUps counts the log-ons of SMB in what is written to a host.
type setUps struct {
	net.Conn
	of *logOnCount
}

type logOnCount struct {
	sync.Mutex
	n, connections int
}

func (c setUps) Write(b []byte) (int, error) {
	if len(b) > 4+14 && string(b[4:8]) == "\xfeSMB" && b[4+12] == 1 {
		c.of.Lock()
		c.of.n++
		c.of.Unlock()
	}
	return c.Conn.Write(b)
}

// bindOver binds over a pipe without a log-on of its own, and returns the host's answer.
func bindOver(t *testing.T, p net.Conn, uuid [16]byte, major, minor uint16) ([]byte, error) {
	t.Helper()
	b := appendBindOf(uuid, major, minor)
	if _, err := p.Write(b); err != nil {
		return nil, err
	}
	answer := make([]byte, 4096)
	n, err := p.Read(answer)
	return answer[:n], err
}

// appendBindOf is a bind PDU to one interface in NDR, C706 12.6.4.3.
func appendBindOf(uuid [16]byte, major, minor uint16) []byte {
	b := []byte{5, 0, byte(pduBind), 3, 0x10, 0, 0, 0, 72, 0, 0, 0, 1, 0, 0, 0, 0xb8, 0x10, 0xb8, 0x10, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}
	b = append(b, uuid[:]...)
	b = append(b, byte(major), byte(major>>8), byte(minor), byte(minor>>8))
	b = append(b, 0x04, 0x5d, 0x88, 0x8a, 0xeb, 0x1c, 0xc9, 0x11, 0x9f, 0xe8, 0x08, 0x00, 0x2b, 0x10, 0x48, 0x60, 2, 0, 0, 0)
	return b
}

var (
	srvsvc = [16]byte{0xc8, 0x4f, 0x32, 0x4b, 0x70, 0x16, 0xd3, 0x01, 0x12, 0x78, 0x5a, 0x47, 0xbf, 0x6e, 0xe1, 0x88}
	svcctl = [16]byte{0x81, 0xbb, 0x7a, 0x36, 0x44, 0x98, 0xf1, 0x35, 0xad, 0x32, 0x98, 0xf0, 0x38, 0x00, 0x10, 0x03}
)

// Several pipes and a file go over one log-on at once: the counters of winreg are read while
// others are opened, called and closed.
func TestSeveralPipes(t *testing.T) {
	t.Parallel()
	folder, sum := logFolder(t, 3<<20)
	for _, global := range [][]string{nil, {"smb encrypt = required"}, {"server max protocol = SMB2_10"}} {
		s := smbtest.Start(t, smbtest.Options{Global: global, Performance: &someData, Shares: map[string]string{"perflogs": folder}})
		count := &logOnCount{}
		o := smbOptions(s)
		o.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			nc, err := (&net.Dialer{}).DialContext(ctx, network, address)
			count.connections++
			return setUps{nc, count}, err
		}
		c := dialSMB(t, o)
		readGlobal(t, c)
		session := c.nc.(*smb.Pipe).Session()
		var all sync.WaitGroup
		for name, uuid := range map[string][16]byte{"srvsvc": srvsvc, "svcctl": svcctl} {
			all.Go(func() {
				version := map[string]uint16{"srvsvc": 3, "svcctl": 2}[name]
				for range 5 {
					p, err := session.Pipe(t.Context(), name, smb.Patience{})
					if err != nil {
						t.Error(err)
						return
					}
					if b, err := bindOver(t, p, uuid, version, 0); err != nil || len(b) < 3 || pduType(b[2]) != pduBindAck {
						t.Errorf("%s: % x, %v", name, b, err)
					}
					_ = p.Close()
				}
			})
		}
		all.Go(func() {
			share, err := session.Share(t.Context(), "perflogs")
			if err != nil {
				t.Error(err)
				return
			}
			f, err := share.Open(t.Context(), someLog)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			h := sha256.New()
			if _, err := f.Copy(t.Context(), h, 0); err != nil || [32]byte(h.Sum(nil)) != sum {
				t.Error("the file:", err)
			}
		})
		for range 20 {
			readGlobal(t, c)
		}
		all.Wait()
		readGlobal(t, c)
		if count.n != 2 || count.connections != 1 { // two messages of one log-on
			t.Errorf("%v: %d messages of log-ons, %d connections", global, count.n, count.connections)
		}
	}
}

// A pipe whose process is stopped delays no other, and costs nothing but itself.
func TestStoppedPipe(t *testing.T) {
	t.Parallel()
	s := startSMB(t)
	c := dialSMB(t, smbOptions(s))
	readGlobal(t, c)
	session := c.nc.(*smb.Pipe).Session()
	p, err := session.Pipe(t.Context(), "svcctl", smb.Patience{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bindOver(t, p, svcctl, 2, 0); err != nil {
		t.Fatal(err)
	}
	thaw := s.FreezeOnly("rpcd_classic")
	defer thaw()
	ended := make(chan error)
	go func() {
		_, err := bindOver(t, p, svcctl, 2, 0)
		ended <- err
	}()
	until := time.Now().Add(2 * time.Second)
	for time.Now().Before(until) {
		readGlobal(t, c)
	}
	_ = p.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("the call that was given up: %v", err)
	}
	if testing.Short() {
		return
	}
	until = time.Now().Add(12 * time.Second) // longer than a host may take to close it
	for time.Now().Before(until) {
		readGlobal(t, c)
		time.Sleep(50 * time.Millisecond)
	}
}
