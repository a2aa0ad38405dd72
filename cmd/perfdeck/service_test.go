package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/output"
)

// A service tells what can be done once, and again once something was well between.
func TestHintsOfAService(t *testing.T) {
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	p := &program{err: said}
	p.service = &running{program: p, hints: output.Told{Most: mostHints}}
	failed := failure.WithHint(errors.New("no route"), "is it on?")
	for _, err := range []error{failed, failed, fmt.Errorf("web01: %w", session.ErrAgain), failed} {
		p.report(err)
	}
	text, _ := os.ReadFile(said.Name())
	if strings.Count(string(text), "is it on?") != 2 || strings.Count(string(text), "no route") != 3 {
		t.Errorf("%s", text)
	}
}
