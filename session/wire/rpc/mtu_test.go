package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/system/failure"
)

// narrow is a path on which packets over a size get lost, and with them all that TCP has behind
// them: PDUs of the host up to a size come through.
type narrow struct {
	net.Conn
	most int
	left []byte // of a PDU that came through
	lost bool
}

func (n *narrow) Read(b []byte) (int, error) {
	for len(n.left) == 0 {
		head := make([]byte, headerSize)
		if _, err := io.ReadFull(n.Conn, head); err != nil {
			return 0, err
		}
		body := make([]byte, int(binary.LittleEndian.Uint16(head[8:]))-headerSize) // frag_length
		if _, err := io.ReadFull(n.Conn, body); err != nil {
			return 0, err
		}
		if n.lost = n.lost || headerSize+len(body) > n.most; !n.lost {
			n.left = slices.Concat(head, body)
		}
	}
	got := copy(b, n.left)
	n.left = n.left[got:]
	return got, nil
}

// Where small answers came and a larger one does not it may be the MTU; where large ones came, or
// none at all, it is not. In any case what serves there may be stopped.
func TestLargeAnswersGetLost(t *testing.T) {
	ts := startServer(t, nil)
	ts.blocks.Store(100) // of 32 bytes
	for most, isMTU := range map[int]bool{1000: true, 8000: false} {
		path := &narrow{most: most}
		c := ts.dial(t, func(o *Options) {
			o.Connect = func(ctx context.Context, o *Options) (_ net.Conn, err error) {
				path.Conn, err = TCP(ctx, o)
				return path, err
			}
		})
		h := openHandle(t, c)
		if !isMTU {
			if _, err := c.QueryCounterData(t.Context(), h, 1<<16, nil); err != nil {
				t.Fatal(err)
			}
			path.most = 0 // now it hangs
		}
		c.o.CallTimeout = 50 * time.Millisecond
		_, err := c.QueryCounterData(t.Context(), h, 1<<16, nil)
		if hint := failure.Hint(err); !errors.Is(err, context.DeadlineExceeded) || strings.Contains(hint, "MTU") != isMTU || !strings.Contains(hint, "stopped") {
			t.Errorf("packets of %d bytes: %v, hint %q", most, err, hint)
		}
	}
}
