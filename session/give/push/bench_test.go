package push

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/enginetest"
	"perfdeck/session/engine/link"
	"perfdeck/session/give/exporter"
	"perfdeck/session/hosts/fake"
)

// roleVariable makes the test binary one of the processes that are measured: "push URL
// FOLDER", "follow", or "exporter ADDRESS".
const roleVariable = "PERFDECK_TEST_PUSH_ROLE"

// The load: 200 hosts of 100 counters, each second.
const (
	loadHosts    = 200
	loadCounters = 100
)

// loadScript is a host with 20 counters and 8 instances of 10.
func loadScript(n int) fake.Script {
	types := []cooker.CounterType{cooker.CounterCounter, cooker.CounterLargeRawCount, cooker.Timer100ns, cooker.CounterBulkCount, cooker.AverageTimer}
	counters := func(n int) (out []fake.Counter) {
		for i := range n {
			out = append(out, fake.Counter{Name: fmt.Sprintf("Requests Of Kind %d", i), Type: types[i%len(types)], Is: fake.Sine(float64(10*i), 5, time.Minute)})
		}
		return out
	}
	rows := []fake.Row{}
	for i := range 8 {
		rows = append(rows, fake.Row{Name: fmt.Sprintf("worker %d", i)})
	}
	return fake.Script{Name: fmt.Sprintf("srv%03d.example.com", n), Seed: uint64(n), Sets: []fake.Set{
		{Name: "Web Service", Counters: counters(20)},
		{Name: "Web Service Workers", Instances: session.MultipleInstances, Rows: rows, Counters: counters(10)},
	}}
}

// loaded runs the samplers of the load.
func loaded(clock session.Clock, each func(name string, s *session.Sampler, asked []session.Question)) {
	for i := range loadHosts {
		script := loadScript(i)
		s := session.NewSampler(script.Name, fake.New(script, clock), clock)
		each(script.Name, s, []session.Question{{Text: "Web Service", Whole: true}, {Text: "Web Service Workers", Whole: true}})
		go s.Run(context.Background())
	}
}

// role is what a process does that is measured. It says when it is ready, and ends with its
// input.
func role(words []string) {
	clock := session.NewSystemClock()
	run := func(f func()) { go f() }
	fail := func(err error) { fmt.Fprintln(os.Stderr, err) }
	switch words[0] {
	case "push":
		p, err := Start(Options{Engine: link.Engine{URL: words[1]}, Queue: words[2], Bytes: 1 << 30, Clock: clock, Go: run, Report: fail})
		if err != nil {
			fail(err)
			os.Exit(1)
		}
		loaded(clock, func(name string, s *session.Sampler, asked []session.Question) {
			p.Add(Host{Name: name, Sampler: s, Questions: asked})
		})
		defer func() { fmt.Printf("%d sent, %d wait\n", p.Status().Sent, p.Status().Queue.Samples) }()
	case "follow":
		loaded(clock, func(name string, s *session.Sampler, asked []session.Question) {
			session.Follow(name, s, asked, session.FollowOptions{Every: time.Second, Clock: clock, Go: run, Report: fail, Each: func(*session.Answer) bool { return true }})
		})
	case "exporter":
		o := exporter.Options{Version: "test", Clock: clock, MaxScrapes: 8, Asked: exporter.Asked{Sets: []string{"Web Service", "Web Service Workers"}}}
		samplers := map[string]*session.Sampler{}
		loaded(clock, func(name string, s *session.Sampler, _ []session.Question) {
			samplers[name] = s
			o.Metrics = append(o.Metrics, name)
		})
		o.Open = func(_ context.Context, name string) (*session.Sampler, error) { return samplers[name], nil }
		l, err := net.Listen("tcp", words[1])
		if err != nil {
			fail(err)
			os.Exit(1)
		}
		go func() { fail(exporter.Serve(context.Background(), l, exporter.New(context.Background(), o), nil, run)) }()
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// process is one that is measured.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

func begin(b *testing.B, cmd *exec.Cmd) *process {
	b.Helper()
	p := &process{cmd: cmd}
	p.in, _ = cmd.StdinPipe()
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return p
}

// beginRole runs one of the roles.
func beginRole(b *testing.B, words ...string) *process {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+strings.Join(words, " "))
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	p := begin(b, cmd)
	lines := bufio.NewScanner(out)
	lines.Scan()
	return p
}

// cpu is how much time of the CPU it used, from proc(5): ticks of 10 ms.
func (p *process) cpu(b *testing.B) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		b.Skip("no /proc: ", err)
	}
	words := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(words[11])
	system, _ := strconv.Atoi(words[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// rss is the most memory it had, in MiB.
func (p *process) rss(b *testing.B) float64 {
	b.Helper()
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(kb) / 1024
		}
	}
	return 0
}

// BenchmarkBesideVmagent pushes 200 hosts of 100 counters each second, while vmagent scrapes
// as many values each second from our exporter: what each costs a sample. What following
// the hosts costs by itself is measured beside them.
//
//	go test ./session/give/push -run xxx -bench Vmagent -benchtime 1x
func BenchmarkBesideVmagent(b *testing.B) {
	agent, err := exec.LookPath("vmagent")
	if err != nil {
		b.Skip("vmagent is not installed (Debian's package victoria-metrics): NOT compared with it")
	}
	sink := enginetest.Start(b, enginetest.VictoriaMetrics, "")
	dir := b.TempDir()
	at := freeAddress(b)
	config := filepath.Join(dir, "scrape.yml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "scrape_configs:\n- job_name: x\n  scrape_interval: 1s\n  scrape_timeout: 1s\n  static_configs: [{targets: [%q]}]\n", at), 0o600); err != nil {
		b.Fatal(err)
	}
	beginRole(b, "exporter", at)
	vmagent := begin(b, exec.Command(agent, "-promscrape.config="+config, "-remoteWrite.url="+sink.WriteURL(), "-remoteWrite.tmpDataPath="+dir, "-httpListenAddr="+freeAddress(b), "-loggerLevel=ERROR", "-promscrape.maxScrapeSize=64MB"))
	pusher := beginRole(b, "push", sink.WriteURL(), filepath.Join(dir, "queue"))
	follower := beginRole(b, "follow")
	time.Sleep(5 * time.Second)
	for b.Loop() {
		const window = 30 * time.Second
		counted := func() (pushed, scraped float64) {
			for _, s := range sink.Query(`sum(count_over_time({__name__=~"perfdeck_web_service.*",job=""}[30s]))`, time.Now()) {
				pushed = s.Points[0].Value
			}
			for _, s := range sink.Query(`sum(count_over_time({__name__=~"perfdeck_web_service.*",job="x"}[30s]))`, time.Now()) {
				scraped = s.Points[0].Value
			}
			return pushed, scraped
		}
		all := []*process{pusher, vmagent, follower}
		var before [3]time.Duration
		for i, p := range all {
			before[i] = p.cpu(b)
		}
		began := time.Now()
		time.Sleep(window)
		passed := time.Since(began)
		var used [3]time.Duration
		for i, p := range all {
			used[i] = p.cpu(b) - before[i]
		}
		time.Sleep(2 * time.Second)
		sink.Flush()
		pushed, scraped := counted()
		if pushed == 0 || scraped == 0 {
			b.Fatalf("%v samples were pushed, %v scraped", pushed, scraped)
		}
		b.ReportMetric(float64(used[0].Nanoseconds())/pushed, "push-ns/sample")
		b.ReportMetric(float64((used[0]-used[2]).Nanoseconds())/pushed, "push-less-following-ns/sample")
		b.ReportMetric(float64(used[1].Nanoseconds())/scraped, "vmagent-ns/sample")
		b.ReportMetric(100*used[0].Seconds()/passed.Seconds(), "push-%core")
		b.ReportMetric(100*used[1].Seconds()/passed.Seconds(), "vmagent-%core")
		b.ReportMetric(pusher.rss(b), "push-MiB")
		b.ReportMetric(vmagent.rss(b), "vmagent-MiB")
		b.ReportMetric(pushed, "pushed")
		b.ReportMetric(scraped, "scraped")
	}
	began := time.Now()
	if r, err := http.Get("http://" + at + "/metrics"); err == nil {
		n, _ := io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
		b.Logf("a scrape: %d bytes in %v", n, time.Since(began))
	}
}

func freeAddress(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
