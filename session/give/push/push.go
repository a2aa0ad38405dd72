package push

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/snappy"

	"perfdeck/session"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/prom"
	"perfdeck/session/system/lazy"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// Options say what is pushed, and where to.
type Options struct {
	Engine link.Engine
	Every  time.Duration // between samples
	Raw    bool          // raw values where there are any; else cooked ones
	Labels []prom.Label  // of every series that has none of the name

	Queue    string // folder
	Bytes    int64  // of what waits there
	Age      time.Duration
	MostRate int // samples a second that are sent while some wait; 0: four times what comes in

	Clock  session.Clock
	Go     func(func())
	Report func(error)  // what the user should know; any goroutine calls it
	Tell   func(string) // what is well again

	queued func(newest int64) // of tests: a block is in the queue; nil: nobody asks
}

// The limits of what is under way.
const (
	blockSamples = 5000    // of a block
	blockBytes   = 2 << 20 // of a block before it is compressed
	blockTime    = time.Second
	mostPending  = 64 << 20 // bytes that wait for the disk
	mostMetrics  = 100_000  // that are told of
	metadataEach = 10 * time.Minute
	syncEach     = 5 * time.Second
	leastSilence = 15 * time.Second
	lookEach     = time.Second
	tellDownEach = time.Minute
)

// Pusher pushes. Its methods may be called by any goroutine.
type Pusher struct {
	o      Options
	client *client
	queue  *Queue
	wake   chan struct{}  // blocks are pending, or it ends
	ended  sync.WaitGroup // of the sender and the writer
	stop   context.CancelFunc

	mu      sync.Mutex
	hosts   map[string]*followed // by name
	open    Block                // that is filled
	pending []Block              // to be compressed
	waiting int64                // bytes of pending
	spare   [][]byte
	metrics map[string]*prom.Metric
	news    []byte // metadata that was not sent yet
	taken   int64  // samples
	lost    int64  // samples that the disk was too slow for
	step    time.Duration
	closing bool
	busy    bool // a block is compressed and written

	sender sender
}

// Status is how pushing goes.
type Status struct {
	Engine  string // its host
	Hosts   int
	Series  int   // that had a value in the newest samples
	Taken   int64 // samples that came
	Sent    int64 // that the engine took
	Refused int64 // that it did not, at most
	Lost    int64 // that came faster than the disk took them
	Queue   QueueStatus
	Err     error     // why nothing can be sent now; nil: all is well
	Since   time.Time // when that began
}

// Start begins to push: the queue is opened, and what waits there is sent. Hosts are added
// one by one.
func Start(o Options) (*Pusher, error) {
	c, err := newClient(o.Engine)
	if err != nil {
		return nil, err
	}
	if o.Every == 0 {
		o.Every = time.Second
	}
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	if err := CheckLabels(o.Labels); err != nil {
		return nil, err
	}
	q, err := OpenQueue(o.Queue, QueueOptions{Bytes: o.Bytes, Age: o.Age, Clock: o.Clock})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Pusher{
		o: o, client: c, queue: q, stop: stop, wake: make(chan struct{}, 1),
		hosts: map[string]*followed{}, metrics: map[string]*prom.Metric{},
	}
	p.sender = sender{p: p, host: c.At.Host}
	if s := q.Status(); s.Damaged > 0 {
		o.Report(c.failed(fmt.Sprintf("%d bytes of the queue in %s could not be read and are passed over", s.Damaged, o.Queue), nil))
	}
	p.ended.Add(2)
	o.Go(func() { defer p.ended.Done(); p.write(ctx) })
	o.Go(func() { defer p.ended.Done(); p.sender.run(ctx) })
	return p, nil
}

// mostLabels bounds labels that are given to every series.
const mostLabels = 30

// CheckLabels tells what is wrong with labels that are given to every series.
func CheckLabels(labels []prom.Label) error {
	for i, l := range labels {
		why := ""
		switch {
		case i == mostLabels:
			why = fmt.Sprintf("more than %d", mostLabels)
		case l.Name == "__name__":
			why = "it is reserved: the name of the metric"
		case l.Name == prom.HostLabel:
			why = "every series has it already, with the name of its host"
		case !labelName().MatchString(l.Name):
			why = "a name of letters, digits and _, not with a digit in front"
		case l.Value == "" || printable.Text(l.Value) != l.Value || prom.LabelValue(l.Value) != l.Value && len(l.Value) > 200:
			why = "its value is empty, too long, or cannot be printed"
		case slices.ContainsFunc(labels[:i], func(o prom.Label) bool { return o.Name == l.Name }):
			why = "it is given twice"
		}
		if why != "" {
			return fmt.Errorf("label %q: %s", l.Name, why)
		}
	}
	return nil
}

var labelName = lazy.Regexp(`\A[A-Za-z_][A-Za-z0-9_]{0,63}\z`)

// Add begins to push a host.
func (p *Pusher) Add(h Host) {
	p.mu.Lock()
	old, closing := p.hosts[h.Name], p.closing
	p.mu.Unlock()
	if closing || old != nil {
		return
	}
	f := p.follow(h)
	p.mu.Lock()
	p.hosts[h.Name] = f
	p.mu.Unlock()
}

// Drop ends the series of a host.
func (p *Pusher) Drop(name string) {
	p.mu.Lock()
	f := p.hosts[name]
	delete(p.hosts, name)
	p.mu.Unlock()
	if f != nil {
		f.end(p.o.Clock.Now().Wall)
	}
}

// stepped tells of a clock that was set back, once for each time.
func (p *Pusher) stepped(by time.Duration) {
	p.mu.Lock()
	told := p.step > 0 && by <= p.step && p.step-by < time.Minute
	p.step = by
	p.mu.Unlock()
	if !told {
		p.o.Report(p.client.failed(fmt.Sprintf("the clock of this computer went back by %s: until it is as late as it was, the engine may refuse samples as out of order", english.Span(by)), nil))
	}
}

// announce has a metric told of.
func (p *Pusher) announce(m *prom.Metric) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.metrics[m.Name] != nil || len(p.metrics) >= mostMetrics {
		return
	}
	p.metrics[m.Name] = m
	p.news = appendMetadata(p.news, m)
}

// add takes the samples of a host at a moment. It does not wait for the disk.
func (p *Pusher) add(text []byte, samples int, newest int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken += int64(samples)
	if p.waiting+int64(len(p.open.Body)+len(text)) > mostPending {
		p.lost += int64(samples)
		return
	}
	if len(p.open.Body)+len(text)+len(p.news) > blockBytes {
		p.turn()
	}
	if p.open.Body == nil && len(p.spare) > 0 {
		p.open.Body = p.spare[len(p.spare)-1][:0]
		p.spare = p.spare[:len(p.spare)-1]
	}
	p.open.Body = append(append(p.open.Body, p.news...), text...)
	p.news = p.news[:0]
	p.open.Samples += samples
	p.open.Newest = max(p.open.Newest, newest)
	if p.open.Samples >= blockSamples {
		p.turn()
	}
}

// turn has the block that is filled compressed and written. p.mu is held.
func (p *Pusher) turn() {
	if len(p.open.Body) == 0 {
		return
	}
	p.pending = append(p.pending, p.open)
	p.waiting += int64(len(p.open.Body))
	p.open = Block{}
	session.Wake(p.wake)
}

// next is the oldest block to be written; with all, or at the end, the one that is filled too.
func (p *Pusher) next(all bool) (b Block, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if (all || p.closing) && len(p.pending) == 0 {
		p.turn()
	}
	if len(p.pending) == 0 {
		return Block{}, false
	}
	b = p.pending[0]
	p.pending = slices.Delete(p.pending, 0, 1)
	p.waiting -= int64(len(b.Body))
	p.busy = true
	return b, true
}

// write compresses blocks and puts them into the queue, until it ends.
func (p *Pusher) write(ctx context.Context) {
	var packed []byte
	var failed error
	told := p.o.Clock.Now().Mono
	looked, synced := told, told
	for {
		due := session.Await(ctx, p.o.Clock, blockTime, p.wake) || ctx.Err() != nil
		now := p.o.Clock.Now()
		if now.Mono-told >= metadataEach {
			told = now.Mono
			p.tellAgain()
		}
		for {
			b, ok := p.next(due)
			if !ok {
				break
			}
			packed = p.writeOne(b, packed, &failed)
		}
		if now.Mono-looked >= lookEach {
			looked = now.Mono
			for _, f := range p.followed() { // the series of hosts that give nothing in time end
				f.silence(now, max(3*p.o.Every, leastSilence))
			}
		}
		if now.Mono-synced >= syncEach {
			synced = now.Mono
			p.queue.Sync()
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// writeOne compresses a block and puts it into the queue. What the disk does not take is
// told once.
func (p *Pusher) writeOne(b Block, packed []byte, failed *error) []byte {
	packed = snappy.Encode(packed[:cap(packed)], b.Body)
	err := p.queue.Append(Block{b.Samples, b.Newest, packed})
	switch {
	case err != nil && *failed == nil:
		p.o.Report(fmt.Errorf("push to %s: %w; samples wait in memory, %s at most", p.client.At.Host, err, english.Size(mostHeld)))
	case err == nil && *failed != nil:
		p.o.Tell(fmt.Sprintf("push to %s: the queue can be written again", p.client.At.Host))
	}
	*failed = err
	if err == nil && p.o.queued != nil {
		p.o.queued(b.Newest)
	}
	p.mu.Lock()
	p.busy = false
	if len(p.spare) < 4 {
		p.spare = append(p.spare, b.Body)
	}
	p.mu.Unlock()
	return packed
}

// tellAgain tells of all metrics anew: engines forget.
func (p *Pusher) tellAgain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.news = p.news[:0]
	for _, m := range p.metrics {
		p.open.Body = appendMetadata(p.open.Body, m)
	}
}

// followed are the hosts that are pushed.
func (p *Pusher) followed() []*followed {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.hosts))
}

// Status is how pushing goes.
func (p *Pusher) Status() Status {
	s := p.sender.status()
	s.Engine, s.Queue = p.client.At.Host, p.queue.Status()
	p.mu.Lock()
	s.Hosts, s.Taken, s.Lost = len(p.hosts), p.taken, p.lost
	p.mu.Unlock()
	for _, f := range p.followed() {
		f.mu.Lock()
		s.Series += len(f.live)
		f.mu.Unlock()
	}
	return s
}

// Close ends all series, and sends what waits until the context ends: the rest stays in the
// queue for the next time.
func (p *Pusher) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closing = true
	hosts := p.hosts
	p.hosts = map[string]*followed{}
	p.mu.Unlock()
	now := p.o.Clock.Now().Wall
	for _, f := range hosts {
		f.end(now)
	}
	session.Wake(p.wake)
	for !p.isDrained() && ctx.Err() == nil && p.sender.status().Err == nil {
		session.Await(ctx, p.o.Clock, 20*time.Millisecond, nil)
	}
	p.stop()
	p.ended.Wait()
	return p.queue.Close()
}

// isDrained tells that nothing waits.
func (p *Pusher) isDrained() bool {
	p.mu.Lock()
	none := len(p.pending) == 0 && len(p.open.Body) == 0 && !p.busy
	p.mu.Unlock()
	return none && p.queue.Status().Blocks == 0
}
