package inventory

import (
	"fmt"
	"os"
	"path/filepath"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/hosts/ssh"
	"perfdeck/session/system/failure"
)

// sshProgram is the program that hosts are reached by.
const sshProgram = "ssh"

// sshParts are what the hosts of a run that are reached by ssh have in common.
type sshParts struct {
	program  *ssh.Program
	prompter *ssh.Prompter
	binaries *ssh.Binaries
	gate     ssh.Gate
}

func (v *Inventory) newSSHParts() (*sshParts, error) {
	known := &ssh.Known{}
	if dir, err := config.StateDir(); err == nil {
		known.File = filepath.Join(dir, "ssh.json")
	}
	if _, err := known.Load(); err != nil && v.o.Tell != nil {
		v.o.Tell(fmt.Errorf("what is known of ssh is found out each time: %w", err))
	}
	found, err := ssh.Find(sshProgram, known)
	if err != nil {
		return nil, err
	}
	own, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	prompter := &ssh.Prompter{Program: own, Go: v.o.Go, Ask: v.o.SSH.Ask}
	return &sshParts{found, prompter, &ssh.Binaries{Own: own, Dir: v.o.SSH.DeployFrom, Known: known}, ssh.NewGate()}, nil
}

// SSHOptions say how a host is reached by ssh.
func (v *Inventory) SSHOptions(t Target) (ssh.Options, error) {
	d, err := ssh.Parse(t.Address)
	if err != nil {
		return ssh.Options{}, failure.Usage(err)
	}
	if d.User == "" {
		d.User = t.Own.User
	}
	parts, err := v.ssh.Get(v.newSSHParts)
	if err != nil {
		return ssh.Options{}, err
	}
	return ssh.Options{
		Destination: d, Program: parts.program, Prompter: parts.prompter, Binaries: parts.binaries, Gate: parts.gate,
		Version: v.o.SSH.Version, Environ: v.o.Environ, Deploy: v.o.SSH.Deploy || t.Own.Deploy, Go: v.o.Go, Rate: v.rateOf(t),
	}, nil
}

// openSSH is the source of a host that is reached by ssh.
func openSSH(v *Inventory, t Target, m Mode) (session.Source, error) {
	o, err := v.SSHOptions(t)
	if err != nil {
		return nil, err
	}
	return v.SSHSource(t, o, m), nil
}

// SSHSource is that source, by options that the caller may have changed.
func (v *Inventory) SSHSource(t Target, o ssh.Options, m Mode) *ssh.Source {
	return ssh.New(o, v.pcqOptions(t, m))
}
