package exporter

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// Limits of connections.
const (
	maxHeader      = 16 << 10
	maxConnections = 1024
	headerTime     = 5 * time.Second
	idleTime       = 3 * time.Minute
	writeTime      = longestTimeout + 30*time.Second
)

// ErrOpen says that an exporter would tell anybody what it knows.
var ErrOpen = errors.New("beyond this computer only with TLS and authentication")

// CheckListener refuses an address beyond loopback without TLS and authentication.
func CheckListener(at net.Addr, c *WebConfig) error {
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		return nil
	}
	if c.HasTLS() && c.IsAuthenticated() {
		return nil
	}
	return fmt.Errorf("listen on %s: %w", at, ErrOpen)
}

// Serve answers on a listener, which it closes, until the context ends, as protected as a file says;
// nil: not at all. run starts a goroutine.
func Serve(ctx context.Context, l net.Listener, h http.Handler, web *Web, run func(func())) error {
	if err := web.serves(l.Addr(), h); err != nil {
		_ = l.Close()
		return err
	}
	if web != nil {
		h = web
	}
	server := &http.Server{
		Handler: h, MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTime, ReadTimeout: headerTime,
		WriteTimeout: writeTime, IdleTimeout: idleTime,
		ErrorLog: log.New(io.Discard, "", 0), // of connections of others that break
	}
	l = &bounded{Listener: l, slots: make(chan struct{}, maxConnections)}
	if web.Config().HasTLS() {
		l = tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: web.tls})
	}
	ended := make(chan struct{})
	run(func() {
		<-ctx.Done()
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = server.Shutdown(wait)
		_ = server.Close()
		close(ended)
	})
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	}
	<-ended
	return nil
}

// bounded is a listener with so many connections at a time at most; others wait.
type bounded struct {
	net.Listener

	slots chan struct{}
}

func (b *bounded) Accept() (net.Conn, error) {
	b.slots <- struct{}{}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.slots
		return nil, err
	}
	return &slotted{Conn: c, free: sync.OnceFunc(func() { <-b.slots })}, nil
}

// slotted gives its slot back when it is closed.
type slotted struct {
	net.Conn

	free func()
}

func (s *slotted) Close() error {
	defer s.free()
	return s.Conn.Close()
}

// door lets users in by their passwords. Those that were right are remembered by a keyed
// hash: bcrypt is slow on purpose, and scrapes come often.
type door struct {
	users map[string][]byte
	next  http.Handler
	key   []byte
	none  []byte // a hash that no password has, so that an unknown name takes as long
	busy  chan struct{}

	mu   sync.Mutex
	seen map[[sha256.Size]byte]bool
}

// Limits of the door: passwords looked at at a time, the ones that are remembered.
const (
	doorkeepers  = 2
	maxRemembers = 1024
)

func newDoor(users map[string][]byte, next http.Handler) *door {
	d := &door{users: users, next: next, key: make([]byte, 32), busy: make(chan struct{}, doorkeepers), seen: map[[sha256.Size]byte]bool{}}
	_, _ = rand.Read(d.key) // it does not fail
	cost := bcrypt.MinCost
	for _, hash := range users {
		if own, err := bcrypt.Cost(hash); err == nil {
			cost = max(cost, own)
		}
	}
	d.none, _ = bcrypt.GenerateFromPassword(d.key, min(cost, 12))
	return d
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, ok := r.BasicAuth()
	if !ok || !d.isRight(r.Context(), user, password) {
		w.Header().Set("WWW-Authenticate", `Basic realm="perfdeck", charset="UTF-8"`)
		refuse(w, http.StatusUnauthorized, "no such account, or not its password", "basic_auth of the scrape; basic_auth_users of --web-config")
		return
	}
	d.next.ServeHTTP(w, r)
}

// isRight looks at a password.
func (d *door) isRight(ctx context.Context, user, password string) bool {
	hash, known := d.users[user]
	id := sha256.Sum256(fmt.Appendf(nil, "%x %q %q %s", d.key, user, password, hash))
	d.mu.Lock()
	right := d.seen[id]
	d.mu.Unlock()
	if right {
		return true
	}
	select {
	case d.busy <- struct{}{}:
		defer func() { <-d.busy }()
	case <-ctx.Done():
		return false
	}
	if !known {
		hash = d.none
	}
	if bcrypt.CompareHashAndPassword(hash, []byte(password)) != nil || !known {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.seen) >= maxRemembers {
		clear(d.seen)
	}
	d.seen[id] = true
	return true
}
