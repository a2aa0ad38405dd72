package local

import (
	"bytes"
	"strings"
)

// cgroupPath is the control group in /proc/PID/cgroup: of version 2 if there
// is one, else of the first hierarchy that is not the root.
func cgroupPath(b []byte) string {
	var first string
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		id, rest, ok := bytes.Cut(l, []byte(":"))
		_, path, ok2 := bytes.Cut(rest, []byte(":"))
		if !ok || !ok2 || len(path) == 0 {
			continue
		}
		if string(id) == "0" && string(path) != "/" {
			return strings.ToValidUTF8(string(path), "\uFFFD")
		}
		if first == "" || first == "/" {
			first = strings.ToValidUTF8(string(path), "\uFFFD")
		}
	}
	return first
}

// containerIDBytes is how much of an id people use.
const containerIDBytes = 12

// containerName finds the container in a cgroup path as Docker, Podman,
// containerd, CRI-O, LXC and systemd-nspawn name their groups; empty if none.
func containerName(path string) string {
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case strings.HasPrefix(part, "lxc.payload."):
			return part[len("lxc.payload."):]
		case strings.HasPrefix(part, "machine-") && strings.HasSuffix(part, ".scope"):
			return strings.TrimSuffix(part[len("machine-"):], ".scope")
		}
	}
	last := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".scope")
	id := last[strings.LastIndexByte(last, '-')+1:]
	id = id[strings.LastIndexByte(id, ':')+1:]
	if len(id) == 64 && strings.Trim(id, "0123456789abcdef") == "" {
		return id[:containerIDBytes]
	}
	if _, after, ok := strings.Cut(path, "/lxc/"); ok {
		name, _, _ := strings.Cut(after, "/")
		return name
	}
	return ""
}
