package main

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

// TestReaderGone: a reader that went away, as head does, is no failure to tell.
func TestReaderGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	defer w.Close()
	_, err = w.WriteString("x")
	if err == nil || unlessPipe(err) != nil {
		t.Errorf("write to nobody: %v", err)
	}
	if why, ok := errors.AsType[*fs.PathError](err); !ok || !outputGone(&fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: why.Err}) {
		t.Errorf("standard output: %v", err)
	}
	if outputGone(err) {
		t.Error("a pipe of ours is taken for standard output")
	}
	if other := errors.New("x"); !errors.Is(unlessPipe(other), other) {
		t.Error("another error is lost")
	}
}
