package output

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

func write(out *bufio.Writer, text string) error {
	_, err := out.WriteString(text)
	return err
}

// All is written in its order; what finds no room is counted.
func TestQueue(t *testing.T) {
	var b strings.Builder
	q := New(&b, 3, write)
	for _, text := range []string{"a", "b", "c", "d"} {
		q.Put(text)
	}
	q.Close()
	q.Run()
	if b.String() != "abc" || q.Lost() != 1 || q.Err() != nil || q.HasFailed() {
		t.Errorf("%q, %d lost, %v", b.String(), q.Lost(), q.Err())
	}
}

// Whoever reads is gone: that is told once, and what comes later is dropped.
func TestQueueOfNobody(t *testing.T) {
	r, w := io.Pipe()
	_ = r.Close()
	q := New(w, 3, write)
	q.Put("a")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		q.Run()
	}()
	<-q.Failed()
	q.Put("b")
	q.Close()
	<-ended
	if !errors.Is(q.Err(), io.ErrClosedPipe) {
		t.Error(q.Err())
	}
}
