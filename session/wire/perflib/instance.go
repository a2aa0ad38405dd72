package perflib

const (
	instanceHeaderSize = 8                      // _PERF_INSTANCE_HEADER
	instanceLeast      = instanceHeaderSize + 2 // with the NUL of an empty name
)

const instanceStructure = "PERF_INSTANCE_HEADER"

// Instance is one active instance of a counterset (_PERF_INSTANCE_HEADER and
// its name, MS-PCQ 2.2.4.5). Name is empty for the instance of a
// single-instance counterset, never nil once decoded.
type Instance struct {
	ID   uint32
	Name Text
}

// AppendInstance appends one instance, without values.
func AppendInstance(dst []byte, id uint32, name Text) []byte {
	start := len(dst)
	dst = appendU32(dst, uint32(round8(uint64(instanceHeaderSize+sizeZ(name)))))
	dst = appendU32(dst, id)
	return appendPad(appendZ(dst, name), start)
}

// instanceAt reads an instance header at o and gives the offset after it.
func instanceAt(buf []byte, o, end int) (in Instance, next int, err *DamageError) {
	if end-o < instanceHeaderSize {
		return in, o, damage(instanceStructure, o, Truncated, end-o, instanceHeaderSize)
	}
	size := u32(buf, o)
	if err = checkSize(instanceStructure, o, size, instanceLeast, end-o, SizeExceedsParent); err != nil {
		return in, o, err
	}
	name, ok := textZ(buf, o+instanceHeaderSize, o+int(size))
	if !ok {
		return in, o, damage(instanceStructure, o+instanceHeaderSize, MissingTerminator, int(size)-instanceHeaderSize, 0)
	}
	return Instance{ID: u32(buf, o+4), Name: name}, following(o, size, end), nil
}
