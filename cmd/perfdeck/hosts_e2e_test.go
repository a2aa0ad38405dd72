//go:build !windows

package main

import (
	"encoding/csv"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// csvRows starts a sample of hosts into CSV and gives its rows, without the
// times, as they come.
func csvRows(t *testing.T, args ...string) (header []string, rows <-chan []string, stop func() string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t), append([]string{"sample", "-fcsv", "--user=" + testUser}, args...)...)
	cmd.Env = withPassword(testPassword)
	said := new(strings.Builder)
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	list := make(chan []string, 1000)
	go func() {
		defer close(list)
		r := csv.NewReader(out)
		for {
			line, err := r.Read()
			if err != nil {
				return
			}
			list <- line[1:]
		}
	}()
	return <-list, list, func() string {
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		return said.String()
	}
}

// awaitRow waits for a row.
func awaitRow(t *testing.T, what string, rows <-chan []string, is func([]string) bool) {
	t.Helper()
	late := time.After(waitLimit)
	for {
		select {
		case row, ok := <-rows:
			if !ok {
				t.Fatalf("no rows any more before %s", what)
			}
			if is(row) {
				return
			}
		case <-late:
			t.Fatalf("waited for %s in vain", what)
		}
	}
}

const blank = " "

// A host that does not answer in time is blank in its row, and never shows an
// old value; the others go on.
func TestSampleFrozenHost(t *testing.T) {
	quick, frozen := serves(t, "--expose=System"), serves(t, "--expose=System")
	header, rows, stop := csvRows(t, "-i0.2", quick.host(), frozen.host(), `\System\System Up Time`)
	if len(header) != 2 || !strings.Contains(header[0], quick.address) || !strings.Contains(header[1], frozen.address) {
		t.Fatalf("columns %q", header)
	}
	last := [2]float64{}
	increasing := func(row []string) {
		for i, text := range row {
			if text == blank {
				continue
			}
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || v <= last[i] {
				t.Errorf("%s: %v after %v, %v", header[i], text, last[i], err)
			}
			last[i] = v
		}
	}
	both := func(row []string) bool { increasing(row); return row[0] != blank && row[1] != blank }
	awaitRow(t, "both", rows, both)
	_ = frozen.cmd.Process.Signal(syscall.SIGSTOP)
	for range 3 {
		awaitRow(t, "a blank", rows, func(row []string) bool { increasing(row); return row[0] != blank && row[1] == blank })
	}
	_ = frozen.cmd.Process.Signal(syscall.SIGCONT)
	awaitRow(t, "both again", rows, both)
	if said := stop(); strings.Count(said, "late") > 2 {
		t.Errorf("it says %s", said)
	}
}

// A host that is not there at the start has its column, and joins later.
func TestSampleHostJoins(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	later := free.Addr().String()
	_ = free.Close()
	first := serves(t, "--expose=System,Memory")
	header, rows, stop := csvRows(t, "-i0.2", first.host(), "--host=tcp://"+later, `\System\System Up Time`, `\Memory\Available MBytes`)
	column := -1
	for i, path := range header {
		if path == `\\`+later+`\Memory\Available MBytes` {
			column = i
		}
	}
	if len(header) != 4 || column < 0 {
		t.Fatalf("columns %q", header)
	}
	for range 2 {
		awaitRow(t, "a blank", rows, func(row []string) bool { return row[column] == blank && row[0] != blank })
	}
	serves(t, "--expose=System,Memory", "--listen="+later)
	awaitRow(t, "the other host", rows, func(row []string) bool { return row[column] != blank && row[0] != blank })
	if said := stop(); !strings.Contains(said, later) {
		t.Errorf("nothing was said about %s: %s", later, said)
	}
}

// A path that some host never answers is no success.
func TestSampleHostNeverJoins(t *testing.T) {
	t.Parallel()
	s := serves(t, "--expose=System")
	out, stderr, code := runs(t, withPassword(testPassword), "sample", "-n2", "-i0.1", "-fjson", "--user="+testUser,
		s.host(), "--host=tcp://127.0.0.1:1", `\System\System Up Time`)
	if code != exitPartly || strings.Count(out, `"status":"ok"`) != 2 || strings.Count(out, `"status":"unavailable"`) != 2 || !strings.Contains(stderr, "127.0.0.1:1: connect") {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
	out, stderr, code = runs(t, withPassword(testPassword), "explain", "-i0.1", "--user="+testUser,
		s.host(), "--host=tcp://127.0.0.1:1", `\System\System Up Time`)
	if code != exitPartly || !strings.Contains(out, s.address) || !strings.Contains(stderr, "127.0.0.1:1: connect") {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
}

// hostLine is what the screen says in the title of a host's pane.
func hostLine(text, host string) string {
	for line := range strings.Lines(text) {
		if _, title, ok := strings.Cut(line, host+" "); ok {
			title, _, _ = strings.Cut(title, "127.0.0.1:")
			return title
		}
	}
	return ""
}

// isLive tells of a screen whether the title of a host says nothing that is wrong with it.
func isLive(host string) func(text string) bool {
	return func(text string) bool {
		title := hostLine(text, host)
		wrong := func(word string) bool { return strings.Contains(title, word) }
		return title != "" && !slices.ContainsFunc([]string{"stale", "retrying", "connecting", "try"}, wrong) && strings.Contains(text, "Up Time")
	}
}

// A server that is killed and started again while the screen runs: its pane says
// so with an age, the other goes on, and then it is live again.
func TestScreenServerRestarts(t *testing.T) {
	t.Parallel()
	first, second := serves(t, "--expose=System"), serves(t, "--expose=System")
	c := onConsole(t, []string{"HOME=/proc", passwordVariable + "=" + testPassword},
		"--user="+testUser, "-i0.2", first.host(), second.host(), `\System\System Up Time`, `\System\Processes`)
	live := isLive
	c.await("both hosts", func(text string) bool { return live(first.address)(text) && live(second.address)(text) })
	first.kill()
	c.await("what is wrong, and for how long", func(text string) bool {
		title := hostLine(text, first.address)
		return strings.Contains(title, "retrying ") && strings.ContainsAny(title, "0123456789") && live(second.address)(text)
	})
	// The last values are there still, those of the other host go on.
	c.await("the last values", func(text string) bool { return strings.Count(text, "Up Time") == 2 })
	text := c.text()
	c.await("the other host to go on", func(now string) bool { return live(second.address)(now) && now != text })
	again := serves(t, "--expose=System", "--listen="+first.address)
	c.await("the host again", live(again.address))
	c.write("q")
	if code := c.ends(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	c.isGivenBack()
}

// A host that does not answer is stale on the screen, and leaves the other in
// peace.
func TestScreenFrozenHost(t *testing.T) {
	t.Parallel()
	first, second := serves(t, "--expose=System"), serves(t, "--expose=System")
	c := onConsole(t, []string{"HOME=/proc", passwordVariable + "=" + testPassword},
		"--user="+testUser, "-i0.2", first.host(), second.host(), `\System\System Up Time`)
	live := isLive
	c.await("both hosts", func(text string) bool { return live(first.address)(text) && live(second.address)(text) })
	_ = first.cmd.Process.Signal(syscall.SIGSTOP)
	c.await("a stale host beside a live one", func(text string) bool {
		return strings.Contains(hostLine(text, first.address), "stale ") && live(second.address)(text)
	})
	_ = first.cmd.Process.Signal(syscall.SIGCONT)
	c.await("the host again", live(first.address))
	c.write("q")
	c.ends()
}

// samplesWith checks that a sample works with what is kept at home.
func samplesWith(t *testing.T, environ []string, s *served, path string) {
	t.Helper()
	for range 2 {
		if _, stderr, code := runs(t, environ, "sample", "-n1", "-i0.1", "--user="+testUser, s.host(), path); code != exitDone {
			t.Errorf("%s: exit code %d: %s", path, code, stderr)
		}
	}
}

// A catalogue kept of an earlier run does not hide what the host has now.
func TestKeptCatalogueIsNotBelieved(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	environ := []string{"HOME=" + home, passwordVariable + "=" + testPassword}
	first := serves(t, "--expose=System")
	for i, path := range []string{`\System\System Up Time`, `\Memory\Available MBytes`, `\Network Interface(*)\Bytes Total/sec`, `\System\Processes`} {
		if i%2 == 1 {
			samplesWith(t, environ, first, path)
		}
		c := onConsole(t, environ, "--user="+testUser, first.host(), path)
		c.awaitText("? help")
		c.awaitText(strings.TrimSuffix(path[strings.LastIndex(path, `\`)+1:], "/sec")) // heads of tables say it in the unit
		c.await("a kept catalogue", func(string) bool {
			kept, _ := filepath.Glob(filepath.Join(home, ".local/state/perfdeck/catalogues/*.json"))
			return len(kept) == 1
		})
		c.write("q")
		if code := c.ends(); code != exitDone {
			t.Errorf("%s: exit code %d:\n%s", path, code, c.text())
		}
		first.kill()
		expose := []string{"--expose=System,Memory", "--expose=System,Memory,Network Interface", "--expose=System"}[i%3]
		first = serves(t, expose, "--listen="+first.address)
	}
}
