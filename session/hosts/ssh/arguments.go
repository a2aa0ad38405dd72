package ssh

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"perfdeck/session/system/subprocess"
)

// release is a version of OpenSSH, as 902 for 9.2; 0: not known.
type release int

// option is an option of ssh that the user's config may not decide.
type option struct {
	text  string
	since release // first with it; 0: all have it
}

// options keep a connection what it is for, whatever the config has for this host:
// a pipe to a program of ours.
var options = []option{
	{"ClearAllForwardings=yes", 0},
	{"ForwardAgent=no", 0},
	{"ForwardX11=no", 0},
	{"Tunnel=no", 0},
	{"PermitLocalCommand=no", 0},
	{"EscapeChar=none", 0},
	{"RequestTTY=no", 0},
	{"VisualHostKey=no", 0},
	{"RemoteCommand=none", 706},
	{"ForkAfterAuthentication=no", 807},
	{"StdinNull=no", 807},
	{"SessionType=default", 807},
}

// Release of what else matters here.
const (
	askpassRequired release = 804 // SSH_ASKPASS_REQUIRE
	promptsNamed    release = 806 // prompts of the other side name it, so none passes for ssh's own
)

// connectTimeout bounds a connection until the other side's ssh answers.
const connectTimeout = 20 * time.Second

// arguments are those of ssh for a command on the other side. headless: nothing can be
// asked. verbose: it says what it does.
func (d Destination) arguments(of release, headless, verbose bool, command string) []string {
	args := []string{"-T", "-a", "-x"}
	set := func(text string) { args = append(args, "-o", text) }
	if of == 0 { // not OpenSSH, or one that does not say
		set("IgnoreUnknown=" + strings.Join(unknown(of), ","))
	}
	for _, o := range options {
		if of == 0 || of >= o.since {
			set(o.text)
		}
	}
	set("ConnectTimeout=" + strconv.Itoa(int(connectTimeout.Seconds())))
	batch, level := "no", "INFO"
	if headless {
		batch = "yes"
	}
	if verbose {
		level = "DEBUG1"
	}
	set("BatchMode=" + batch)
	set("LogLevel=" + level)
	if d.User != "" {
		args = append(args, "-l", d.User)
	}
	if d.Port != 0 {
		args = append(args, "-p", strconv.Itoa(d.Port))
	}
	return append(args, "--", d.Host, command)
}

// unknown are the options that a release does not have.
func unknown(of release) (names []string) {
	for _, o := range options {
		if o.since > of {
			name, _, _ := strings.Cut(o.text, "=")
			names = append(names, name)
		}
	}
	return names
}

// Program is the ssh program of this computer.
type Program struct {
	path  string
	known *Known

	mu    sync.Mutex
	says  string // empty: it was not asked yet
	asked bool
	kept  bool // says is of an earlier run
}

// Find finds it; name is a file or is looked for in the PATH. What it says of itself is
// kept; nil: nowhere.
func Find(name string, kept *Known) (*Program, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, &Error{"find the ssh program", err, "install OpenSSH's client (Debian: openssh-client)"}
	}
	return &Program{path: path, known: kept}, nil
}

// subjectVersion is what an ssh says of itself to Known.
const subjectVersion = "ssh -V"

// version is what the program is. It is asked once, or was by an earlier run.
func (p *Program) version(ctx context.Context) release {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked {
		p.says = p.known.about(subjectVersion, p.path)
		if p.kept, p.asked = p.says != "", p.says != ""; !p.asked {
			p.ask(ctx)
		}
	}
	return parseRelease(p.says)
}

// ask asks the program. It is called with mu held.
func (p *Program) ask(ctx context.Context) {
	bound, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	c := exec.CommandContext(bound, p.path, "-V") //nolint:gosec // the program that the user named
	c.WaitDelay = versionTime
	var out subprocess.Head
	c.Stdout, c.Stderr = &out, &out
	_ = c.Run() // what it said counts
	p.says, p.asked, p.kept = out.FirstLine(), ctx.Err() == nil, false
	p.known.note(subjectVersion, p.path, p.says)
}

// doubt asks the program anew if what it is was kept by an earlier run, which it may not
// be any more where it stands for another; it tells whether that was so.
func (p *Program) doubt(ctx context.Context) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.kept
	if was {
		p.ask(ctx)
	}
	return was
}

const versionTime = 5 * time.Second

// parseRelease reads what ssh -V says, as OpenSSH_9.2p1 Debian-2.
func parseRelease(says string) release {
	var major, minor int
	_, rest, ok := strings.Cut(says, "OpenSSH_")
	if rest = strings.TrimPrefix(rest, "for_Windows_"); !ok {
		return 0
	}
	if n, err := fmt.Sscanf(rest, "%d.%d", &major, &minor); n != 2 || err != nil || minor > 99 {
		return 0
	}
	return release(major*100 + minor)
}

// Describe is what the program is, and which of the options it lacks.
func (p *Program) Describe(ctx context.Context) string {
	p.doubt(ctx)
	of := p.version(ctx)
	says := p.path + ", " + p.says
	if p.says == "" {
		says = p.path
	}
	switch lacks := unknown(of); {
	case of == 0:
		says += "; its version is not known, options that it lacks are passed over"
	case len(lacks) > 0:
		says += "; too old for " + strings.Join(lacks, ", ")
	}
	return says
}
