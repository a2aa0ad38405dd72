package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/config"
	"perfdeck/session/give/health"
	"perfdeck/session/system/lifetime"
	"perfdeck/session/system/output"
	"perfdeck/session/system/service"
)

// running is a command that goes on until a signal ends it: its log has priorities or times, a beginning
// and an end, the service manager hears how it is, and SIGHUP reads again what it works with.
type running struct {
	*program

	cmd     *cobra.Command
	manager *service.Manager
	log     service.Lead
	keys    []string          // of the config that it uses
	files   map[string]string // beside the config, that are read again, by kind
	named   config.Named
	left    *config.Left // nil: there is no place for it
	taken   config.Taken // of the config that it works with, and of the files
	self    *health.Self // nil: it tells nobody of itself
	hints   output.Told  // since the config was read, and something came back
}

// The keys of the config that services use; those that are reached by all.
var (
	hostKeys  = []string{"host", "groups", "engine", "feed"}
	watchKeys = slices.Concat(hostKeys, []string{"alerts", "alert", "tasks", "webhooks", "alertmanager", "record", "push", "notes", "counter", "numbers", "interval"})
	pushKeys  = slices.Concat(hostKeys, []string{"push", "interval"})
	serveKeys = []string{"feed"}
)

// mostHints bounds what is remembered of them.
const mostHints = 1000

// serviceOf makes the command a service, before it says anything.
func (p *program) serviceOf(c *cobra.Command, keys []string) *running {
	s := &running{program: p, cmd: c, manager: service.ManagerOf(p.getenv), log: service.LeadOf(p.err, p.getenv), keys: keys, files: map[string]string{}, hints: output.Told{Most: mostHints}}
	if p.given == nil {
		p.given = &flags{}
	}
	for i, name := range p.given.HostFiles {
		if name != stdinName {
			s.reads(fmt.Sprintf("hosts-file %d", i+1), name)
		}
	}
	s.named.Hosts, s.named.Groups = p.given.Hosts, p.given.Groups
	p.service = s
	return s
}

// reads notes a file that it reads again beside the config.
func (s *running) reads(kind, name string) { s.files[kind] = whole(name) }

// whole is the name of a file for other processes; empty stays so.
func whole(name string) string {
	if at, err := filepath.Abs(name); err == nil && name != "" {
		return at
	}
	return name
}

// lead is what stands before a line of its log.
func (s *running) lead(p service.Priority) string {
	if s == nil {
		return ""
	}
	return s.log.Of(p)
}

// news is a hint that was not told yet, as of one of twenty hosts.
func (s *running) news(hint string) string {
	if s == nil || s.hints.IsNew(hint) {
		return hint
	}
	return ""
}

// failed counts something that went wrong.
func (s *running) failed() {
	if s != nil && s.self != nil {
		s.self.Failed()
	}
}

// well has hints be told again: who fails from now on fails anew.
func (s *running) well() {
	if s != nil {
		s.hints.Forget()
	}
}

// begun tells that it does what it is for. end tells that it does not any more.
func (s *running) begun(what string) (end func()) {
	if dir, err := config.MakeStateDir(); err == nil {
		s.left, _ = config.Leave(dir, s.cmd.Name()) // else perfdeck config check does not know of it
	}
	s.leave()
	s.tell(fmt.Sprintf("%s of perfdeck %s: %s", s.cmd.Name(), version(), what))
	s.manager.Ready()
	return func() {
		s.manager.Stopping()
		if s.left != nil {
			s.left.End()
		}
		why := "nothing is left to do"
		if ended, is := errors.AsType[*lifetime.SignalError](context.Cause(s.context())); is {
			why = ended.Error()
		}
		s.tell(s.cmd.Name() + " ends: " + why)
	}
}

// leave writes down what it works with, for perfdeck config check.
func (s *running) leave() {
	s.taken = takenOf(s.config, s.files, s.keys)
	if s.left == nil {
		return
	}
	err := s.left.Set(&config.Running{
		Command: s.cmd.Name(), Process: os.Getpid(), Since: time.Now(), Config: whole(s.config.File), Files: s.files, Keys: s.keys, Taken: s.taken, Named: s.named,
	})
	if err != nil {
		s.report(fmt.Errorf("perfdeck config check --against running will not know what runs: %w", err))
	}
}

// takenOf is what a service takes of a config, and of files beside it as they are now.
func takenOf(file *config.Config, files map[string]string, keys []string) config.Taken {
	out := config.Taken{}
	for _, key := range keys {
		if t := file.Taken[key]; t != nil {
			out[key] = t
		}
	}
	for kind, name := range files {
		if info, err := os.Stat(name); err == nil {
			out.Add("file", kind+" "+name, fmt.Sprint(info.Size(), info.ModTime().UnixNano()))
		}
	}
	return out
}

// onHangup has SIGHUP read the config again; see reload. Signs of life are given meanwhile.
func (s *running) onHangup(ctx context.Context, take func(config.Settings) (string, error)) (end func()) {
	hangups := make(chan struct{}, 1)
	s.life.OnHangup(func() {
		select {
		case hangups <- struct{}{}:
		default:
		}
	})
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	s.guard.Go(func() {
		defer close(done)
		lives := time.NewTicker(time.Second)
		defer lives.Stop()
		for {
			select {
			case <-hangups:
				s.reload(take)
			case <-lives.C:
				s.manager.Alive()
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		s.life.OnHangup(nil)
		cancel()
		<-done // a reload works with what ends now
	}
}

// reload reads the config again, and the lists of hosts of the command line. take takes what they ask
// for, or says what is wrong: then all stays as it was. It returns what is worth saying of it.
func (s *running) reload(take func(config.Settings) (string, error)) {
	s.manager.Reloading()
	defer s.manager.Ready()
	s.hints.Forget()
	before, flags := s.config, s.flags
	said, err := s.takeAgain(take)
	if err != nil {
		s.use(before)
		s.flags = flags
		s.reloadInventory(before)
		s.report(fmt.Errorf("reload: nothing is taken, all stays as it was: %w", err))
		return
	}
	was := s.taken
	s.leave()
	changes := was.Changes(s.taken)
	more := slices.ContainsFunc(before.Taken.Changes(s.config.Taken), func(text string) bool { return !slices.Contains(changes, text) })
	if len(changes) == 0 {
		changes = []string{"nothing changed"}
	}
	if more {
		changes = append(changes, "what else changed is not for "+s.cmd.Name())
	}
	s.tell("reloaded: " + strings.Join(append(changes, said), "; "))
}

func (s *running) reloadInventory(file *config.Config) {
	if known, made := s.hostsKnown.Made(); made {
		known.Reload(file)
	}
}

func (s *running) takeAgain(take func(config.Settings) (string, error)) (said string, err error) {
	file, err := s.readConfig()
	if err != nil {
		return "", err
	}
	settings, err := s.merge(s.cmd, file)
	if err != nil {
		return "", err
	}
	s.use(file)
	s.reloadInventory(file)
	s.flags.Hosts, s.flags.HostFiles, s.flags.Groups = slices.Clone(s.given.Hosts), s.given.HostFiles, s.given.Groups
	if err := s.gatherHosts(); err != nil {
		return "", err
	}
	wrong, _ := s.known().CheckConfig(s.keys...) // alone: who reaches no host may not read what others log on with
	if err := errors.Join(slices.DeleteFunc(wrong, s.ofOthers)...); err != nil {
		return "", err
	}
	s.accounts().Renew()
	return take(settings)
}
