//go:build linux

package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq/server"
)

// slowStart is a source that takes its time for its first collections.
type slowStart struct {
	session.Source
	wait  time.Duration
	first int // collections
}

func (s *slowStart) Open(ctx context.Context) (session.Query, error) {
	q, err := s.Source.Open(ctx)
	return &slowQuery{q, s, 0}, err
}

type slowQuery struct {
	session.Query
	source *slowStart
	asked  int
}

func (q *slowQuery) Collect(ctx context.Context, b *session.Batch) error {
	if q.asked++; q.asked <= q.source.first {
		select {
		case <-time.After(q.source.wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return q.Query.Collect(ctx, b)
}

// slowHosts serves so many hosts, of which each wait is one that tells at once
// what it has and takes as long for its first three answers. It returns the flags
// that name them.
func slowHosts(t *testing.T, waits ...time.Duration) (args []string) {
	t.Helper()
	accounts := server.Accounts{}
	if err := accounts.Add(testUser, []byte(testPassword)); err != nil {
		t.Fatal(err)
	}
	clock := session.NewSystemClock()
	for i, wait := range waits {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		source := &slowStart{fake.New(manyScript(fmt.Sprint("host", i), uint64(i)), clock), wait, 3}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = server.Serve(ctx, l, server.Options{Source: source, Accounts: accounts, Go: func(f func()) { go f() }})
		}()
		t.Cleanup(func() { cancel(); <-done })
		args = append(args, "--host=tcp://"+l.Addr().String())
	}
	return append(args, "--user="+testUser)
}

// hung is longer than anybody waits.
const hung = time.Hour

func sampledRows(t *testing.T, text, comma string) (header []string, rows [][]string) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = rune(comma[0])
	all, err := r.ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatalf("%v: %s", err, text)
	}
	return all[0][1:], all[1:]
}

// Hosts whose first answers are slow have their columns in formats whose columns
// are fixed, and nobody else's are lost by waiting for them.
func TestSlowHostsHaveColumns(t *testing.T) {
	t.Parallel()
	waits, formats := make([]time.Duration, 24), map[string]string{"csv": ",", "tsv": "\t"}
	if testing.Short() {
		waits = waits[:6]
		delete(formats, "tsv")
	}
	for i := range waits {
		if i%3 != 0 {
			waits[i] = 600 * time.Millisecond
		}
	}
	hosts := slowHosts(t, waits...)
	paths := []string{`\Disk(*)\Counter 1`, `\Memory\Counter 1`}
	for format, comma := range formats {
		out, stderr, code := runs(t, withPassword(testPassword), append(append([]string{"sample", "-f", format, "-n12", "-i0.2"}, hosts...), paths...)...)
		header, rows := sampledRows(t, out, comma)
		if code != 0 || len(header) != 3*len(waits) || len(rows) != 12 {
			t.Errorf("%s: exit code %d, %d columns, %d rows: %s", format, code, len(header), len(rows), stderr)
		}
		for c, path := range header {
			if !slices.ContainsFunc(rows, func(r []string) bool { return r[1+c] != blank }) {
				t.Errorf("%s: %s has no value", format, path)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "many.csv")
	_, stderr, code := runs(t, withPassword(testPassword), append(append([]string{"record", "-n12", "-i0.2", "-o", file}, hosts...), paths...)...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: exit code %d: %s", err, code, stderr)
	}
	if header, rows := sampledRows(t, string(text), ","); code != 0 || len(header) != 3*len(waits) || len(rows) != 12 {
		t.Errorf("record: exit code %d, %d columns, %d rows: %s", code, len(header), len(rows), stderr)
	}
	out, stderr, code := runs(t, withPassword(testPassword), append(append([]string{"sample", "-n3", "-i0.2"}, hosts...), `\Memory\Counter 1`)...)
	for i, host := range hosts[:len(waits)] {
		if name := strings.TrimPrefix(host, "--host=tcp://"); !strings.Contains(out, name) {
			t.Errorf("table: exit code %d, host %d is not in it: %s%s", code, i, out, stderr)
		}
	}
}

// A host that does not answer for as long as columns wait is left out, as far as
// nobody knows what it has, and that is said and no success.
func TestHungHostIsSaid(t *testing.T) {
	t.Parallel()
	hosts := slowHosts(t, 0, hung)
	name := strings.TrimPrefix(hosts[1], "--host=tcp://")
	paths := []string{`\Disk(*)\Counter 1`, `\Memory\Counter 1`}
	check := func(t *testing.T, text, stderr string, code int) {
		t.Helper()
		header, rows := sampledRows(t, text, ",")
		if code != exitPartly || len(header) != 4 || len(rows) != 2 || !strings.Contains(header[3], name) {
			t.Errorf("exit code %d, %d rows of %q: %s", code, len(rows), header, stderr)
		}
		said := slices.ContainsFunc(strings.Split(stderr, "\n"), func(line string) bool {
			return strings.Contains(line, name) && strings.Contains(line, `\Disk(*)\Counter 1`) && strings.Contains(line, "left out")
		})
		if !said {
			t.Errorf("what is left out is not said: %s", stderr)
		}
	}
	t.Run("sample", func(t *testing.T) {
		t.Parallel()
		out, stderr, code := runs(t, withPassword(testPassword), append(append([]string{"sample", "-fcsv", "-n2", "-i0.2"}, hosts...), paths...)...)
		check(t, out, stderr, code)
	})
	t.Run("record", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "hung.csv")
		_, stderr, code := runs(t, withPassword(testPassword), append(append([]string{"record", "-n2", "-i0.2", "-o", file}, hosts...), paths...)...)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check(t, string(text), stderr, code)
	})
}
