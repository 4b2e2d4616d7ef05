// Where the columns of a factorization are.
#pragma once

namespace accublas::cuda {

template <class E>
class HostColumns;
template <class E>
class SharedColumns;

/// If a member is not null, the call must be a factorization alone, and functions wait for the device. If both are
/// null, A is on the device.
template <class E>
struct ColumnSource {
  HostColumns<E>* host = nullptr;      ///< A is in this host memory
  SharedColumns<E>* shared = nullptr;  ///< the call's A is a copy on one of several devices that share the columns
};

}  // namespace accublas::cuda
