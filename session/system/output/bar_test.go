package output

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// A bar is drawn on a terminal after a while, and taken away; nothing is drawn into a file.
func TestBar(t *testing.T) {
	terminal, screen, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	defer terminal.Close()
	half := func() (float64, string, bool) { return 0.5, "mo\x1bre", true }
	bar := NewBar(screen, half)
	bar.Show() // too early
	bar.began = time.Now().Add(-time.Second)
	bar.Show()
	bar.Clear()
	screen.Close()
	shown, _ := io.ReadAll(terminal) // it ends with an error of the terminal
	want := regexp.MustCompile(`\[#{15}\.{15}\] +50 %, mo\?re`)
	if text := string(shown); !want.MatchString(text) || !strings.HasSuffix(text, "\r\x1b[K") || strings.Count(text, "[#") != 1 {
		t.Errorf("%q", text)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	quiet := NewBar(file, half)
	quiet.began = time.Now().Add(-time.Second)
	quiet.Show()
	quiet.Clear()
	if info, _ := file.Stat(); info.Size() != 0 || quiet.IsTerminal() {
		t.Error("a bar was drawn into a file")
	}
}
