package push

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/engine/link"
	"perfdeck/session/hosts/fake"
)

const (
	// victimVariable makes the test binary a pusher that the test kills: the address of
	// the engine and the folder of the queue, with a blank between.
	victimVariable = "PERFDECK_TEST_PUSH_VICTIM"
	// killsVariable is how often pushers are killed.
	killsVariable = "PERFDECK_TEST_KILLS"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(victimVariable); text != "" {
		address, dir, _ := strings.Cut(text, " ")
		victim(address, dir)
	}
	if text := os.Getenv(roleVariable); text != "" {
		role(strings.Fields(text))
		return
	}
	os.Exit(m.Run())
}

// victim pushes until it is killed. It prints the time of each block that is in the queue.
func victim(address, dir string) {
	clock := session.NewSystemClock()
	p, err := Start(Options{
		Engine: link.Engine{URL: address}, Every: session.MinInterval, Queue: dir, Bytes: 1 << 30, Clock: clock,
		Go: func(f func()) { go f() }, Report: func(err error) { fmt.Fprintln(os.Stderr, err) },
		queued: func(newest int64) { fmt.Println(newest) },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s := session.NewSampler("sql01", fake.New(script(), clock), clock)
	p.Add(Host{Name: "sql01", Sampler: s, Questions: []session.Question{{Text: "Memory", Whole: true}}})
	go func() { // blocks are small, so that there are many
		for {
			p.mu.Lock()
			p.turn()
			p.mu.Unlock()
			time.Sleep(20 * time.Millisecond)
		}
	}()
	s.Run(context.Background())
}

// TestKill kills pushers at random moments, of an engine that is away now and then: what
// was in the queue arrives. It does so 12 times, or as often as PERFDECK_TEST_KILLS says.
func TestKill(t *testing.T) {
	kills := 12
	if n, err := strconv.Atoi(os.Getenv(killsVariable)); err == nil {
		kills = n
	} else if testing.Short() {
		kills = 4
	}
	e := newEngine()
	e.strict = false // what arrived and was not noted comes again
	var away atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.n++
		w.WriteHeader(e.take(body).StatusCode) //nolint:bodyclose // it has none
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "queue")
	random := rand.New(rand.NewPCG(uint64(kills), 3))
	var promised []int64
	for life := range kills {
		away.Store(life%2 == 0)
		ctx, cancel := context.WithCancel(t.Context())
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), victimVariable+"="+server.URL+"/api/v1/write "+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = io.Discard
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var kill *time.Timer
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if kill == nil {
				kill = time.AfterFunc(time.Duration(100+random.IntN(700))*time.Millisecond, func() { _ = cmd.Process.Kill() })
			}
			if n, err := strconv.ParseInt(lines.Text(), 10, 64); err == nil { // the last line may be torn
				promised = append(promised, n)
			}
		}
		_ = cmd.Wait()
		cancel()
	}
	away.Store(false)
	clock := session.NewSystemClock()
	p, err := Start(Options{Engine: link.Engine{URL: server.URL}, Queue: dir, Bytes: 1 << 30, Clock: clock, Go: func(f func()) { go f() }, Report: func(err error) { t.Log(err) }})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); !p.isDrained() && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := p.Status(); s.Queue.Damaged > 0 && s.Queue.Damaged > int64(kills)*1e6 || s.Refused > 0 {
		t.Errorf("%+v", s)
	}
	there := map[int64]bool{}
	for _, p := range e.points(hostIsUp) {
		there[p.millis] = true
	}
	missing := 0
	for _, n := range promised {
		if !there[n] && n != 0 {
			missing++
		}
	}
	if missing > 0 || len(promised) < kills*3 {
		t.Errorf("%d of %d blocks that were in the queue did not arrive", missing, len(promised))
	}
	t.Logf("%d lives, %d blocks, %d requests", kills, len(promised), e.n)
}
