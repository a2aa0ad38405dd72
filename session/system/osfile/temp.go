package osfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// alive is a file in a temporary folder that is locked as long as somebody uses the folder.
const alive = ".alive"

// MakeTemp makes a folder for this process alone, whose name begins so, in another; remove
// removes it. What a process left there that was killed is removed first.
func MakeTemp(in, prefix string) (folder string, remove func(), err error) {
	ClearTemp(in, prefix)
	folder, err = os.MkdirTemp(in, prefix)
	if err != nil {
		return "", nil, err
	}
	lock := holdTemp(folder)
	return folder, func() {
		_ = os.RemoveAll(folder)
		if lock != nil {
			_ = lock.Close()
		}
	}, nil
}

// holdTemp shows that a folder is used. The file has its name when it is locked, so that
// nobody finds it without. nil: nobody will remove the folder but this process.
func holdTemp(folder string) *os.File {
	if !clearsTemp {
		return nil
	}
	name := filepath.Join(folder, alive)
	file, err := os.OpenFile(name+"-new", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil
	}
	if err := errors.Join(Lock(file), os.Rename(name+"-new", name)); err != nil {
		_, _ = file.Close(), os.Remove(name+"-new")
		return nil
	}
	return file
}

// ClearTemp removes folders of MakeTemp that this user's processes left which are no more.
func ClearTemp(in, prefix string) {
	if !clearsTemp {
		return
	}
	folder, err := os.Open(in)
	if err != nil {
		return
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	for _, name := range names {
		name = filepath.Join(in, name)
		if strings.HasPrefix(filepath.Base(name), prefix) && isLeft(name) {
			_ = os.RemoveAll(name)
		}
	}
}

// isLeft tells a folder of MakeTemp that nobody uses any more.
func isLeft(folder string) bool {
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 || !isOwn(info) {
		return false
	}
	name := filepath.Join(folder, alive)
	info, err = os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || !isOwn(info) {
		return false
	}
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	return Lock(file) == nil
}
