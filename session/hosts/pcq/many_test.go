package pcq_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/cache"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// manyHosts is how many hosts BenchmarkManyHosts watches, farValues how many
// counters of each, manyHistory how much history of all of them is kept.
const (
	manyHosts   = 200
	farValues   = 100
	manyHistory = 2 * time.Minute
)

// farScript is a host of which farValues values are watched: two sets without
// instances, two with, of the types that hosts mostly have.
func farScript(name string, seed uint64) fake.Script {
	kinds := []cooker.CounterType{
		cooker.CounterBulkCount, cooker.CounterLargeRawCount, cooker.Timer100nsInv, cooker.CounterRawCount, cooker.AverageTimer,
	}
	counters := func(n int) (list []fake.Counter) {
		for i := range n {
			list = append(list, fake.Counter{Name: fmt.Sprint("Counter ", i), Type: kinds[i%len(kinds)], Is: fake.Sine(50, 40, time.Minute)})
		}
		return list
	}
	rows := func(n int) (list []fake.Row) {
		for i := range n {
			list = append(list, fake.Row{Name: fmt.Sprint("Instance ", i)})
		}
		return list
	}
	return fake.Script{Name: name, Seed: seed, Sets: []fake.Set{
		{Name: "Memory", Counters: counters(25)},
		{Name: "System", Counters: counters(15)},
		{Name: "Disk", Instances: session.MultipleInstances, Counters: counters(10), Rows: rows(2)},
		{Name: "Processor", Instances: session.MultipleInstances, Counters: counters(5), Rows: rows(8)},
	}}
}

// serveMany serves so many hosts, prints the port of each, and ends when
// standard input does.
func serveMany(count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	accounts := server.Accounts{}
	if err := accounts.Add(user, []byte(password)); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	failed := make(chan error, n)
	clock := session.NewSystemClock()
	for i := range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		source := fake.New(farScript(fmt.Sprintf("host%03d", i), uint64(i)), clock)
		go func() {
			failed <- server.Serve(ctx, l, server.Options{Source: source, Accounts: accounts, Go: func(f func()) { go f() }})
		}()
		fmt.Println(l.Addr().(*net.TCPAddr).Port)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		failed <- nil
	}()
	return <-failed
}

// farHosts starts a process with so many hosts and gives their ports.
func farHosts(b *testing.B, n int) (ports []int) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), self)
	cmd.Env = append(os.Environ(), farKey+"="+strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	for len(ports) < n && lines.Scan() {
		port, err := strconv.Atoi(lines.Text())
		if err != nil {
			b.Fatal(err)
		}
		ports = append(ports, port)
	}
	if len(ports) < n {
		b.Fatalf("%d hosts of %d: %v", len(ports), n, lines.Err())
	}
	return ports
}

// keepAll asks for all values of a host, with their history.
func keepAll(cat *session.Catalogue) (asks []session.Ask) {
	for _, set := range cat.Sets {
		a := session.Ask{Set: set}
		for i := range set.Counters {
			if !set.Counters[i].Hidden() {
				a.Counters = append(a.Counters, i)
			}
		}
		a.Keep = []session.Keep{{Counters: a.Counters, Match: func(*session.Instance) bool { return true }}}
		asks = append(asks, a)
	}
	return asks
}

// watched is a host with a feed like that of a screen.
type watched struct {
	sampler *session.Sampler
	feed    *session.Feed
	values  chan int // of a snapshot that was taken, how many are good
}

// watchMany watches the hosts as the screens do.
func watchMany(b *testing.B, ports []int) (hosts []*watched) {
	b.Helper()
	clock, shared := session.NewSystemClock(), &cache.Shared{}
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	for i, port := range ports {
		w := &watched{values: make(chan int, 1)}
		source := pcq.New(pcq.Options{
			Reach: pcq.Reach{
				Host:   "far",
				Shared: shared,
				Dial: func(ctx context.Context) (pcq.Conn, error) {
					return rpc.Dial(ctx, rpc.Options{Address: rpc.Address{Host: "127.0.0.1", Port: port}, Account: rpc.Account{User: user, Password: smbtest.FixedPassword(password)}})
				},
			},
		})
		w.sampler = session.NewSampler(fmt.Sprint("host", i), source, clock)
		w.feed = w.sampler.Feed(session.FeedOptions{Every: time.Second, History: manyHistory})
		hosts = append(hosts, w)
		go w.sampler.Run(ctx)
		go w.take(ctx)
	}
	return hosts
}

// take holds the newest snapshot, and tells of each.
func (w *watched) take(ctx context.Context) {
	select {
	case <-w.sampler.Known():
		w.feed.Ask(keepAll(w.sampler.Catalogue()))
	case <-ctx.Done():
		return
	}
	var held *session.Snapshot
	for {
		select {
		case <-w.feed.Ready():
		case <-ctx.Done():
			return
		}
		if s := w.feed.Take(); s != nil {
			held.Release()
			held = s
			select {
			case w.values <- goodValues(s):
			case <-ctx.Done():
				return
			}
		}
	}
}

func goodValues(s *session.Snapshot) (n int) {
	for _, v := range s.Sets {
		for i := range v.Values {
			if v.Values[i].Valid() {
				n++
			}
		}
	}
	return n
}

// BenchmarkManyHosts watches manyHosts hosts that live in another process, at
// one sample a second: an iteration is a beat of all of them. It reports how
// much of one processor and how much memory at most the watching process took;
// histories are full after 150 beats:
//
//	go test -run '^$' -bench ManyHosts -benchtime 150x ./session/hosts/pcq
func BenchmarkManyHosts(b *testing.B) {
	hosts := watchMany(b, farHosts(b, manyHosts))
	for end := time.Now().Add(time.Minute); ; { // until all values of all hosts are there
		ready := true
		for _, w := range hosts {
			ready = <-w.values == farValues && ready
		}
		if ready {
			break
		}
		if time.Now().After(end) {
			b.Fatal("some values do not come")
		}
	}
	before, began := sharedtest.CPUTime(b), time.Now()
	for b.Loop() {
		for i, w := range hosts {
			if n := <-w.values; n != farValues {
				b.Fatalf("host %d: %d values, %v", i, n, w.sampler.State().Err)
			}
		}
	}
	missed := uint64(0)
	for _, w := range hosts {
		missed += w.sampler.State().Missed
	}
	b.ReportMetric(100*float64(sharedtest.CPUTime(b)-before)/float64(time.Since(began)), "%CPU")
	b.ReportMetric(peakMiB(b), "MiB-peak")
	b.ReportMetric(float64(missed), "missed")
}

// peakMiB is how much memory the process held at most.
func peakMiB(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // only Linux tells
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			kib, err := strconv.ParseFloat(f[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib / 1024
		}
	}
	return 0
}
