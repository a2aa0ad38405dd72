package service

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The manager hears what happens, by a socket of a folder or an abstract one; signs of life are as seldom as
// they may be.
func TestManager(t *testing.T) {
	for _, name := range []string{filepath.Join(t.TempDir(), "n"), fmt.Sprintf("@perfdeck-test-%d", os.Getpid())} {
		at := name
		if at[0] == '@' {
			at = "\x00" + at[1:]
		}
		l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: at, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		env := map[string]string{"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "3600000000", "WATCHDOG_PID": fmt.Sprint(os.Getpid())}
		m := ManagerOf(func(key string) string { return env[key] })
		m.Ready()
		m.Alive()
		m.Alive()
		m.Reloading()
		m.Stopping()
		var got []string
		for range 4 {
			text := make([]byte, 100)
			n, err := l.Read(text)
			if err != nil {
				t.Fatal(err)
			}
			word, _, _ := strings.Cut(string(text[:n]), "\nMONOTONIC_USEC=")
			got = append(got, word)
		}
		if want := "READY=1 WATCHDOG=1 RELOADING=1 STOPPING=1"; strings.Join(got, " ") != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	ManagerOf(func(string) string { return "" }).Alive() // nobody is there
}

// Lines have their priority where the journal reads them, and their time in a file.
func TestLead(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	info, err := w.Stat()
	if err != nil {
		t.Fatal(err)
	}
	of := func(f *os.File, stream string) string {
		l := LeadOf(f, func(string) string { return stream })
		return l.Of(Warning)
	}
	if got := of(w, deviceAndInode(info)); got != "<4>" {
		t.Errorf("journal: %q", got)
	}
	if got := of(w, "1:1"); got != "" {
		t.Errorf("a pipe: %q", got)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := of(f, "1:1"); len(got) < len("2006-01-02T15:04:05Z ") || !strings.HasSuffix(got, " ") {
		t.Errorf("a file: %q", got)
	}
}
