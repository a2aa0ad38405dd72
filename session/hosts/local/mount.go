package local

import (
	"bytes"
	"strings"

	"perfdeck/paths"
)

// mount is a line of /proc/self/mountinfo (proc_pid_mountinfo(5)).
type mount struct {
	major, minor       uint64
	root, point        string
	fileSystem, source string
	options            string // of the file system, where it is one of control groups
}

func (m *mount) parse(b []byte) bool {
	before, after, ok := bytes.Cut(b, []byte(" - "))
	if !ok {
		return false
	}
	var words [5][]byte
	for i := range words {
		words[i], before = field(before)
	}
	major, minor, ok := bytes.Cut(words[2], []byte(":"))
	if !ok || len(words[4]) == 0 {
		return false
	}
	m.major, _, _ = number(major)
	m.minor, _, _ = number(minor)
	m.root, m.point = unescapeMount(words[3]), unescapeMount(words[4])
	kind, after := field(after)
	source, after := field(after)
	m.fileSystem, m.source = string(kind), unescapeMount(source)
	if m.options = ""; bytes.HasPrefix(kind, []byte("cgroup")) {
		options, _ := field(after)
		m.options = string(options)
	}
	return true
}

// unescapeMount undoes the kernel's \ooo for blanks and backslashes.
func unescapeMount(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+3 < len(b) && octal(b[i+1:i+4]) {
			out = append(out, (b[i+1]-'0')<<6|(b[i+2]-'0')<<3|(b[i+3]-'0'))
			i += 3
			continue
		}
		out = append(out, b[i])
	}
	return string(out)
}

func octal(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '7' {
			return false
		}
	}
	return b[0] <= '3'
}

// volumes picks one mount for each device: no bind mounts, no file systems of
// the kernel, none of the network; the shortest path where there are several.
func volumes(b []byte) []mount {
	var out []mount
	for l := range lines(b) {
		var m mount
		if !m.parse(l) || m.root != "/" && m.fileSystem != "btrfs" || !onDisk(m.fileSystem, m.major) {
			continue
		}
		same := false
		for i := range out {
			if out[i].major == m.major && out[i].minor == m.minor || out[i].point == m.point {
				same = true
				if len(m.point) < len(out[i].point) || out[i].point == m.point {
					out[i] = m
				}
			}
		}
		if !same {
			out = append(out, m)
		}
	}
	return out
}

// onDisk says that a file system has space of its own on this computer. Those
// without a device have major number 0, but for a few.
func onDisk(fileSystem string, major uint64) bool {
	switch fileSystem {
	case "btrfs", "zfs", "overlay", "bcachefs":
		return true
	case "squashfs", "iso9660", "erofs": // read-only images, full by nature
		return false
	}
	return major > 0
}

// volumeName is the instance name of a mount point: `/` stays, others lose the
// first `/` and have `_` for those inside.
func volumeName(point string) string {
	if point == "/" {
		return point
	}
	return paths.Instance(strings.TrimPrefix(point, "/"))
}
