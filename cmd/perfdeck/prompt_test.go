//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"

	"perfdeck/paths"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
)

// The user is asked once for each account, whatever the number of its hosts,
// and nothing is echoed.
func TestOnePromptPerAccount(t *testing.T) {
	p := loggingOn(t)
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	p.in, p.err = tty, tty
	var shown bytes.Buffer
	var done sync.WaitGroup
	done.Go(func() { // a user who answers each question
		asked, buf := 0, make([]byte, 256)
		for {
			n, err := master.Read(buf)
			if err != nil {
				return
			}
			shown.Write(buf[:n])
			for strings.Count(shown.String(), ": ") > asked {
				asked++
				fmt.Fprintf(master, "secret %d\n", asked)
			}
		}
	})
	for _, c := range []struct{ account, want string }{
		{"ana", "secret 1"}, {"ana", "secret 1"}, {"ANA", "secret 1"}, {`D\ana`, "secret 2"}, {"ana", "secret 1"}, {`D\ana`, "secret 2"},
	} {
		known, err := p.inventory()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := known.Remote(inventory.Target{Name: "web", Address: "web", Own: config.Host{User: c.account}}); err != nil {
			t.Fatal(err)
		}
		if password := p.accounts().HandedOn()[paths.Fold(c.account)]; string(password) != c.want {
			t.Errorf("%s: %q, want %q", c.account, password, c.want)
		}
	}
	tty.Close()
	master.Close()
	done.Wait()
	if text := shown.String(); strings.Count(text, "password of") != 2 || strings.Contains(text, "secret") {
		t.Errorf("the terminal shows %q", text)
	}
}
