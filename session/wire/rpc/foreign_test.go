package rpc

import (
	"errors"
	"io"
	"net"
	"testing"

	"perfdeck/session/wire/smbtest"
)

// A port where something else listens, as a web server, is told as that, with what to do.
func TestForeignServerIsTold(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan struct{})
		go func() {
			defer close(served)
			if nc, err := l.Accept(); err == nil {
				_, _ = nc.Write([]byte(answer))
				_, _ = io.Copy(io.Discard, nc)
				_ = nc.Close()
			}
		}()
		_, err = Dial(t.Context(), Options{
			Address: Address{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, Connect: TCP},
			Account: Account{User: "ana", Password: smbtest.FixedPassword("any")},
		})
		if e, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, errNotRPC) || e.Hint() == "" {
			t.Errorf("%q: %v", answer, err)
		}
		_ = l.Close()
		<-served
	}
}
