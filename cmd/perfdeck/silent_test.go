package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Who is ended before a value came does not say that he waits for one.
func TestEndedBeforeAValueCame(t *testing.T) {
	silent := []session.Silence{{Path: `\Memory\Available MBytes`, Status: cooker.Pending}}
	ended, end := context.WithCancel(t.Context())
	end()
	for ctx, waits := range map[context.Context]bool{t.Context(): true, ended: false} {
		file, err := os.Create(filepath.Join(t.TempDir(), "said"))
		if err != nil {
			t.Fatal(err)
		}
		told := (&program{err: file}).noteSilent(ctx, "sample", silent, false)
		said, err := os.ReadFile(file.Name())
		if err := errors.Join(err, file.Close()); err != nil || told == nil || strings.Contains(string(said), "pending") != waits || !strings.Contains(string(said), "Available MBytes") {
			t.Errorf("%q, %v, %v", said, told, err)
		}
	}
}
