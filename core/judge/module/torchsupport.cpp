// SPDX-License-Identifier: GPL-3.0-or-later
// Small bridges between names, the arena, Python and tensors.
#include "core/judge/module/torchsupport.h"

#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/autograd/python_variable.h>

#include <array>
#include <utility>

namespace cudal1::judge {

namespace {

constexpr std::array<std::pair<const char*, c10::ScalarType>, 12> typeNames{{
    {"float32", c10::kFloat},
    {"float64", c10::kDouble},
    {"float16", c10::kHalf},
    {"bfloat16", c10::kBFloat16},
    {"int64", c10::kLong},
    {"int32", c10::kInt},
    {"int16", c10::kShort},
    {"int8", c10::kChar},
    {"uint8", c10::kByte},
    {"bool", c10::kBool},
    {"complex64", c10::kComplexFloat},
    {"complex128", c10::kComplexDouble},
}};

constexpr std::size_t alignment = 512; // what the CUDA allocator gives, so that kernels see what they are used to

std::size_t aligned(std::size_t bytes)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

void addTensor(PyObject* object, bool exact, Outputs& outputs)
{
    if (!isTensor(object)) {
        outputs.problem = std::string("forward returned ") + Py_TYPE(object)->tp_name + ", not a tensor";
        return;
    }
    if (exact && !isPlainTensor(object)) {
        outputs.problem = THPVariable_CheckExact(object)
                            ? std::string("forward returned a tensor that carries attributes of its own")
                            : std::string("forward returned ") + Py_TYPE(object)->tp_name +
                                  ", a subclass of torch.Tensor";
        return;
    }
    outputs.tensors.push_back(tensorOf(object));
}

} // namespace

c10::Device deviceOf(const std::string& name)
{
    return c10::Device(name);
}

std::string nameOf(c10::ScalarType type)
{
    for (const auto& [name, candidate] : typeNames)
        if (candidate == type)
            return name;
    return c10::toString(type);
}

c10::ScalarType scalarTypeOf(const std::string& name)
{
    for (const auto& [candidate, type] : typeNames)
        if (name == candidate)
            return type;
    throw std::runtime_error("tensors of type " + name + " are not supported");
}

at::Tensor viewOf(std::byte* base, const TensorSpec& spec, const c10::Device& device)
{
    return at::from_blob(base + spec.offset, spec.shape,
                         at::TensorOptions().dtype(scalarTypeOf(spec.dtype)).device(device));
}

TensorSpec specOf(const at::Tensor& tensor, std::size_t& nextOffset)
{
    TensorSpec spec;
    spec.shape = tensor.sizes().vec();
    spec.dtype = nameOf(tensor.scalar_type());
    scalarTypeOf(spec.dtype); // refuses what the arena cannot hold
    spec.offset = nextOffset;
    spec.bytes = static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
    nextOffset += std::max(alignment, aligned(spec.bytes));
    return spec;
}

void synchronise(const c10::Device& device)
{
    if (device.is_cuda())
        c10::cuda::device_synchronize();
}

at::Tensor tensorOf(PyObject* object)
{
    return THPVariable_Unpack(object);
}

PyRef pythonOf(const at::Tensor& tensor)
{
    return checked(THPVariable_Wrap(tensor));
}

bool isTensor(PyObject* object)
{
    return THPVariable_Check(object);
}

bool isPlainTensor(PyObject* object)
{
    if (!THPVariable_CheckExact(object))
        return false;
    PyObject** attributes = _PyObject_GetDictPtr(object);
    return !attributes || !*attributes || PyDict_Size(*attributes) == 0;
}

Outputs flattenOutputs(PyObject* result, bool exact)
{
    Outputs outputs;
    if (isTensor(result)) {
        outputs.kind = "tensor";
        addTensor(result, exact, outputs);
    } else if (PyTuple_Check(result) || PyList_Check(result)) {
        outputs.kind = PyTuple_Check(result) ? "tuple" : "list";
        const Py_ssize_t size = PySequence_Fast_GET_SIZE(result);
        for (Py_ssize_t i = 0; i < size && outputs.problem.empty(); ++i)
            addTensor(PySequence_Fast_GET_ITEM(result, i), exact, outputs);
    } else {
        outputs.problem = std::string("forward returned ") + Py_TYPE(result)->tp_name +
                          ", not a tensor or a tuple of tensors";
    }
    return outputs;
}

} // namespace cudal1::judge
