package ssh

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"perfdeck/session/text/printable"
)

// Question is what has to be asked of the user to reach a host.
type Question struct {
	Host   string // as ssh:// names it
	Text   string // printable, of one or more lines
	Secret bool   // the answer is not to be seen
	YesNo  bool   // the answer is yes or no
}

// Ask asks the user. An error means that there is no answer. When ctx ends nobody
// waits for it any more.
type Ask func(ctx context.Context, q Question) (answer string, err error)

// Prompter answers what ssh asks: it is asked by this program itself, which ssh starts as
// its SSH_ASKPASS. Each question is put to the user once: what was typed is kept in
// memory for the next connection, until the host does not take it.
type Prompter struct {
	Ask     Ask    // nil: nobody can be asked, and ssh asks nothing
	Program string // this program's file
	Go      func(func())

	turn sync.Mutex // held while the user is asked

	mu       sync.Mutex
	listener net.Listener
	dir      string
	callers  map[string]*caller // by token
	kept     map[string]string  // answers, by key
	refused  map[string]bool    // questions that the user did not answer, by key
}

// askVariable tells a program that ssh starts as its askpass where to ask.
const askVariable = "PERFDECK_ASKPASS"

// mostPrompt bounds what ssh may ask, and the answer to it, in bytes.
const mostPrompt = 8 << 10

// caller is one ssh that may ask.
type caller struct {
	host   string
	shares bool // prompts for a key's passphrase are ssh's own for sure
	asked  map[string]bool
	waits  func() // is called when the user is asked
}

// asked is what goes from ssh's askpass to the prompter, answered what comes back.
type asked struct {
	Token  string `json:"token"`
	Prompt string `json:"prompt"`
	Kind   string `json:"kind"` // of SSH_ASKPASS_PROMPT
}

type answered struct {
	OK     bool   `json:"ok"`
	Answer string `json:"answer"`
}

// admit lets one ssh ask. environ is what tells it how; done ends that.
func (p *Prompter) admit(c *caller) (environ []string, done func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener == nil {
		if err := p.listen(); err != nil {
			return nil, nil, err
		}
	}
	token := rand.Text()
	c.asked = map[string]bool{}
	p.callers[token] = c
	environ = []string{"SSH_ASKPASS=" + p.Program, "SSH_ASKPASS_REQUIRE=force", askVariable + "=" + token + ":" + p.listener.Addr().String()}
	return environ, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.callers, token)
	}, nil
}

// listen opens the socket, in a folder that only this user may look into.
func (p *Prompter) listen() error {
	dir, err := os.MkdirTemp("", "perfdeck-ask-")
	if err != nil {
		return err
	}
	l, err := net.Listen("unix", filepath.Join(dir, "socket")) //nolint:noctx // it listens at once
	if err != nil {
		_ = os.RemoveAll(dir)
		return err
	}
	p.listener, p.dir, p.callers = l, dir, map[string]*caller{}
	p.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.Go(func() { p.answer(c) })
		}
	})
	return nil
}

// Close ends the questions.
func (p *Prompter) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		_ = p.listener.Close()
		_ = os.RemoveAll(p.dir)
		p.listener = nil
	}
}

// Forgive lets questions of a host be put again that the user did not answer.
func (p *Prompter) Forgive(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.refused {
		if at, _, _ := strings.Cut(key, "\n"); at == host || at == "" {
			delete(p.refused, key)
		}
	}
}

// answer answers one askpass.
func (p *Prompter) answer(nc net.Conn) {
	defer nc.Close() //nolint:errcheck // it has been told, or has gone
	_ = nc.SetReadDeadline(time.Now().Add(askTime))
	var q asked
	in := bufio.NewReader(io.LimitReader(nc, 2*mostPrompt))
	line, err := in.ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &q) != nil {
		return
	}
	p.mu.Lock()
	c := p.callers[q.Token]
	p.mu.Unlock()
	if c == nil {
		return
	}
	_ = nc.SetReadDeadline(time.Time{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p.Go(func() { // ssh gave up, or was ended
		_, _ = in.ReadByte()
		cancel()
	})
	answer, err := p.question(ctx, c, q)
	text, err := json.Marshal(answered{err == nil, answer})
	if err == nil {
		_, _ = nc.Write(append(text, '\n'))
	}
	clear(text)
}

// askTime is how long an askpass may take to say what it wants.
const askTime = 10 * time.Second

// Kinds of questions, as SSH_ASKPASS_PROMPT has them.
const (
	kindConfirm = "confirm"
	kindNone    = "none" // the user is to be told, and ssh waits for something else
)

var errNobody = errors.New("nobody answers")

// question is the answer to what an ssh asks: a kept one, or the user's.
func (p *Prompter) question(ctx context.Context, c *caller, asks asked) (string, error) {
	q := Question{Host: c.host, Text: prompt(asks.Prompt)}
	trimmed := strings.TrimRight(q.Text, "? ")
	q.YesNo = asks.Kind == kindConfirm || strings.HasSuffix(trimmed, "(yes/no)") || strings.HasSuffix(trimmed, "(yes/no/[fingerprint])")
	q.Secret = !q.YesNo && asks.Kind == ""
	if asks.Kind == kindNone {
		return "", p.tell(ctx, c, q)
	}
	key := c.host + "\n" + q.Text
	if c.shares && strings.HasPrefix(q.Text, "Enter passphrase for key '") {
		key = "\n" + q.Text // whichever host it is for
	}
	if q.Secret {
		p.mu.Lock()
		a, ok := p.kept[key]
		again := c.asked[key]
		c.asked[key] = true
		p.mu.Unlock()
		switch {
		case again: // it tells why where nobody sees it
			q.Text = "That was not taken, once more:\n" + q.Text
		case ok:
			return a, nil
		}
	}
	return p.put(ctx, c, q, key)
}

// put puts a question to the user, when it is its turn. Meanwhile another host may have
// had the same answered.
func (p *Prompter) put(ctx context.Context, c *caller, q Question, key string) (string, error) {
	if c.waits != nil {
		c.waits()
	}
	before, _, _ := p.earlier(key)
	p.turn.Lock()
	defer p.turn.Unlock()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	switch now, ok, refused := p.earlier(key); {
	case ok && now != before:
		return now, nil
	case refused:
		return "", errNobody
	}
	answer, err := p.Ask(ctx, q)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil {
		p.kept, p.refused = map[string]string{}, map[string]bool{}
	}
	switch {
	case err == nil && q.Secret:
		p.kept[key] = answer
	case err == nil && q.YesNo && answer != "yes":
		p.refused[key], err = true, errNobody
	case err != nil && ctx.Err() == nil:
		p.refused[key] = true
	}
	return answer, err
}

// earlier is what the user answered to a question, if anything.
func (p *Prompter) earlier(key string) (answer string, answered, refused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answer, answered = p.kept[key]
	return answer, answered, p.refused[key]
}

// tell shows what ssh waits for, as a touch of a key, until it does not any more.
func (p *Prompter) tell(ctx context.Context, c *caller, q Question) error {
	if c.waits != nil {
		c.waits()
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	q.YesNo = true
	_, _ = p.Ask(ctx, q)
	<-ctx.Done()
	return ctx.Err()
}

// prompt is what ssh asks, for people.
func prompt(text string) string {
	lines := strings.Split(strings.TrimSpace(text[:min(len(text), mostPrompt)]), "\n")
	for i := range lines {
		lines[i] = printable.Text(strings.TrimRight(lines[i], "\r"))
	}
	return strings.Join(lines, "\n")
}

// IsAskpass tells whether this process is what ssh started to ask something.
func IsAskpass(getenv func(string) string) bool { return getenv(askVariable) != "" }

// Askpass asks the process that started ssh, and prints the answer for ssh. It returns the
// exit code.
func Askpass(getenv func(string) string, args []string, out io.Writer) int {
	token, address, ok := strings.Cut(getenv(askVariable), ":")
	if !ok || len(args) != 1 {
		return 1
	}
	nc, err := (&net.Dialer{Timeout: askTime}).Dial("unix", address)
	if err != nil {
		return 1
	}
	defer nc.Close() //nolint:errcheck // it ends the process
	text, err := json.Marshal(asked{Token: token, Prompt: args[0][:min(len(args[0]), mostPrompt)], Kind: getenv("SSH_ASKPASS_PROMPT")})
	if err != nil {
		return 1
	}
	if _, err := nc.Write(append(text, '\n')); err != nil {
		return 1
	}
	var a answered
	if json.NewDecoder(io.LimitReader(nc, 2*mostPrompt)).Decode(&a) != nil || !a.OK {
		return 1
	}
	if _, err := fmt.Fprintln(out, a.Answer); err != nil {
		return 1
	}
	return 0
}
