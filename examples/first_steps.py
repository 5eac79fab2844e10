import torch
import torch.nn.functional as F
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCN, global_mean_pool
from torch_geometric.transforms import OneHotDegree

from smixup import SMixup, load_dataset, to_pyg

graphs = to_pyg(load_dataset("MOTIF", num_graphs=800).graphs).to_data_list()  # or a list of yours
graphs = [OneHotDegree(24, cat=False)(graph) for graph in graphs]
train, test = graphs[:300], graphs[300:]
model = GCN(25, hidden_channels=32, num_layers=3, out_channels=3, norm="batch")
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=40)

mix = SMixup().fit(train)  # learns to match nodes, and aligns every graph with eight others
with mix.training(model):  # mixes stay out of the statistics of batch norms
    for _ in range(40):
        for batch in DataLoader(train, 32, shuffle=True):
            batch = mix(batch)  # the graphs as they are, then mixes: edge_weight, soft y [B', C]
            h = model(batch.x, batch.edge_index, batch.edge_weight)
            loss = F.cross_entropy(global_mean_pool(h, batch.batch), batch.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()

batch = next(iter(DataLoader(test, len(test))))
h = model.eval()(batch.x, batch.edge_index)
predicted = global_mean_pool(h, batch.batch).argmax(1)
print(f"test accuracy {(predicted == batch.y.argmax(1)).float().mean():.3f}")
