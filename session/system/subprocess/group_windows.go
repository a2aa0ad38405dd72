package subprocess

import (
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Start starts a program in a job, which ends with it and takes along
// whatever it started and left behind. wait waits for it; end ends all of that before.
func Start(c *exec.Cmd) (wait func() error, end func(), err error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, nil, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))) //nolint:gosec // that is how it is called
	if err == nil {
		c.Cancel = func() error { return windows.TerminateJobObject(job, 1) }
		err = c.Start()
	}
	if err == nil {
		err = enter(job, uint32(c.Process.Pid))
		if err != nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, nil, err
	}
	end = sync.OnceFunc(func() { _ = windows.CloseHandle(job) })
	return func() error {
		defer end()
		return c.Wait()
	}, end, nil
}

func enter(job windows.Handle, pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process) //nolint:errcheck // it was only looked at
	return windows.AssignProcessToJobObject(job, process)
}

// Detach lets a command outlive the console and the session of this process, and
// the job of what started it, as sshd has one, where that lets it.
func Detach(cmd *exec.Cmd) {
	flags := uint32(windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP)
	if mayLeaveJob() {
		flags |= windows.CREATE_BREAKAWAY_FROM_JOB
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags}
}

// mayLeaveJob tells whether this process is in a job that lets what it starts out
// of it. Otherwise asking for that would be refused.
func mayLeaveJob() bool {
	const own = 0 // the job that this process is in
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	err := windows.QueryInformationJobObject(own, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)), nil) //nolint:gosec // that is how it is called
	return err == nil && limits.BasicLimitInformation.LimitFlags&windows.JOB_OBJECT_LIMIT_BREAKAWAY_OK != 0
}
