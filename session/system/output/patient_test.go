package output_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session/system/output"
)

// tight is a file that takes so many bytes more.
type tight struct {
	strings.Builder

	room atomic.Int32
}

var errNoRoom = errors.New("no room")

func (f *tight) Write(b []byte) (int, error) {
	n := min(len(b), int(f.room.Load()))
	f.room.Add(-int32(n))
	f.Builder.Write(b[:n])
	if n < len(b) {
		return n, errNoRoom
	}
	return n, nil
}

// What found no room follows when there is some, from where it stopped; that is told once.
func TestPatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, told := &tight{}, 0
		f.room.Store(3)
		p := output.NewPatient(f, func(error) bool { told++; return true })
		go func() {
			time.Sleep(5500 * time.Millisecond)
			f.room.Store(4)
		}()
		if n, err := p.Write([]byte("abcdef")); n != 6 || err != nil || f.String() != "abcdef" || told != 1 {
			t.Errorf("%d, %v, %q, told %d times", n, err, f.String(), told)
		}
		time.AfterFunc(time.Hour, p.End)
		if n, err := p.Write([]byte("gh")); n != 1 || !errors.Is(err, errNoRoom) || told != 2 {
			t.Errorf("%d, %v, told %d times", n, err, told)
		}
	})
}

// What does not pass is not waited for.
func TestPatientOfNobody(t *testing.T) {
	p := output.NewPatient(&tight{}, func(error) bool { return false })
	if _, err := p.Write([]byte("a")); !errors.Is(err, errNoRoom) {
		t.Error(err)
	}
}
