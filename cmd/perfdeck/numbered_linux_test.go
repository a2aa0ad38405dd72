package main

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"testing"
)

// An instance keeps its #n in JSON for as long as it is followed, though others of
// its name end before it and come after it.
func TestNumberOfInstanceStays(t *testing.T) {
	sleep := func() *exec.Cmd {
		c := exec.Command("sleep", "600")
		if err := c.Start(); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return c
	}
	first, second := sleep(), sleep()
	run := exec.CommandContext(t.Context(), binary(t), "sample", `\Process(sleep*)\ID Process`, "-f", "json", "-i", "0.1")
	run.Env = plainEnviron
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.Process.Kill(); _ = run.Wait() }()
	names := map[int]string{} // by pid
	samples, left := 0, 0
	for lines := bufio.NewScanner(out); left < 3 && lines.Scan(); samples++ {
		var sample struct {
			Values []struct {
				Path  string
				Value *float64
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &sample); err != nil {
			t.Fatal(err)
		}
		there := false
		for _, v := range sample.Values {
			if v.Value == nil {
				continue
			}
			pid := int(*v.Value)
			there = there || pid == first.Process.Pid
			if was, ok := names[pid]; ok && was != v.Path {
				t.Errorf("process %d is %s, was %s", pid, v.Path, was)
			}
			names[pid] = v.Path
		}
		switch {
		case samples == 0:
			_ = first.Process.Kill()
			_ = first.Wait()
			sleep() // it may take the number that is free now, not that of another
		case !there:
			left++
		}
	}
	if left < 3 || names[second.Process.Pid] == "" || names[first.Process.Pid] == names[second.Process.Pid] {
		t.Errorf("%d samples after the end, processes %v", left, names)
	}
}
