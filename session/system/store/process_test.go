package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"perfdeck/session/system/osfile"
)

// victimVariable makes the test binary a process that writes until it is killed, into a folder.
const victimVariable = "PERFDECK_TEST_STORE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimVariable); dir != "" {
		victim(dir)
	}
	os.Exit(m.Run())
}

func counted(dir string) *Document {
	return &Document{Name: filepath.Join(dir, "d"), Lock: filepath.Join(dir, "d.lock"), Most: 1 << 20, Cheap: true}
}

func plus(text []byte) ([]byte, error) {
	n, _ := strconv.Atoi(string(bytes.TrimSpace(text)))
	return fmt.Appendf(nil, "%10d", n+1), nil
}

// victim adds lines and counts in a document, and says each time that it did.
func victim(dir string) {
	j := journal(dir)
	j.Roomy = 1 << 14
	j.Live = Newest(1 << 20) // all of them
	patiently := func(do func() error) {
		err := do()
		for errors.Is(err, osfile.ErrLocked) { // the disk is slow
			err = do()
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	for n := 0; ; n++ {
		line := fmt.Sprintf("%d-%d %s\n", os.Getpid(), n, strings.Repeat("x", 100))
		patiently(func() error { return j.Append([]byte(line), n%16 == 0) })
		patiently(func() error { return counted(dir).Change(plus) })
		fmt.Print(line)
	}
}

// Of what several processes wrote nothing is lost when they are killed, and nothing is left that
// keeps the others.
func TestKilled(t *testing.T) {
	const victims, each = 4, 50
	dir := t.TempDir()
	told := make([][]string, victims)
	var running sync.WaitGroup
	for n := range victims {
		running.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), victimVariable+"="+dir)
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Error(err)
				return
			}
			lines := bufio.NewScanner(out)
			for lines.Scan() {
				if told[n] = append(told[n], lines.Text()); len(told[n]) == each {
					_ = cmd.Process.Kill()
				}
			}
			_ = cmd.Wait()
		})
	}
	running.Wait()
	there := map[string]bool{}
	for _, line := range lines(t, journal(dir)) {
		there[line] = true
	}
	sum := 0
	for n := range told {
		sum += len(told[n])
		for _, line := range told[n] {
			if !there[line] {
				t.Errorf("%q is lost", line)
			}
		}
	}
	text, err := counted(dir).Read()
	if n, _ := strconv.Atoi(string(bytes.TrimSpace(text))); err != nil || n < sum || sum < victims*each {
		t.Errorf("%q, %v: %d were told", text, err, sum)
	}
}
